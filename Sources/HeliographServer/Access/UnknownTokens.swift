import Synchronization

/// Tokens that somebody showed at an edge which does not know them: another node may have made them a moment ago. From any thread.
///
/// A peer that shows one is asked to come again until the tokens have been read again; then it is known, or refused like any other.
final class UnknownTokens: Sendable {
    /// Each is 32 bytes. Of those above nothing is noted: they are asked to come again until the tokens have been read.
    static let countMax = 4_096

    /// State of a token that this node does not know.
    enum Standing {
        /// None: the tokens have been read since it was first shown.
        case refuted
        /// One that is in the tokens when they are read next, or none; noted until then.
        case doubted
        /// The same, for which there is no room: reads that are still to come tell of those that are noted.
        case unnoted
    }

    private struct Shown {
        /// Shown, and not read since.
        var doubted: Set<[UInt8]> = []
        /// Not there when they were read last.
        var refuted: Set<[UInt8]> = []
    }

    private let state = Mutex(Shown())

    func note(_ digest: [UInt8]) -> Standing {
        state.withLock { state in
            if state.refuted.contains(digest) { return .refuted }
            if state.doubted.contains(digest) { return .doubted }
            if state.doubted.count + state.refuted.count >= Self.countMax { state.refuted = [] }
            guard state.doubted.count < Self.countMax else { return .unnoted }
            state.doubted.insert(digest)
            return .doubted
        }
    }

    /// Tokens in doubt, which a read that begins now settles; pass them to `wereRead` afterwards.
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
