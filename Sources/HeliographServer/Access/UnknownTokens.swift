import Synchronization

/// Tokens that somebody showed at an edge which does not know them: another node may have made them a moment ago. From any thread.
///
/// A peer that shows one is asked to come again until the tokens have been read again; then it is known, or refused like any other.
final class UnknownTokens: Sendable {
    /// Each is 32 bytes. A crowd that guesses is refused at once from then on.
    static let countMax = 4_096

    private struct Shown {
        /// Shown, and not read since.
        var doubted: Set<[UInt8]> = []
        /// Not there when they were read last.
        var refuted: Set<[UInt8]> = []
    }

    private let state = Mutex(Shown())

    /// False: it is none.
    func mayBeNew(_ digest: [UInt8]) -> Bool {
        state.withLock { state in
            if state.refuted.contains(digest) { return false }
            if state.doubted.count + state.refuted.count >= Self.countMax { state.refuted = [] }
            guard state.doubted.count < Self.countMax else { return false }
            state.doubted.insert(digest)
            return true
        }
    }

    /// What is read from here on has all that is doubted now, if it is there; hand it back to `wereRead`.
    var doubted: Set<[UInt8]> { state.withLock { $0.doubted } }

    func wereRead(_ digests: Set<[UInt8]>) {
        state.withLock { state in
            state.doubted.subtract(digests)
            state.refuted.formUnion(digests)
        }
    }

    /// Tokens were changed: each may be one by now.
    func forget() { state.withLock { $0 = Shown() } }
}
