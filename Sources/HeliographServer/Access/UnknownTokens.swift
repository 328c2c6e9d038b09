import Synchronization

/// Tokens presented at an edge that does not know them: another node may have made them a moment ago. Safe on any thread.
///
/// A peer that presents one is asked to try again until the tokens have been read again; then the token is known, or refused like
/// any other.
final class UnknownTokens: Sendable {
    /// Limit of noted tokens, of 32 bytes each. Beyond it nothing is noted: peers are asked to try again until the tokens have been
    /// read.
    static let countMax = 4_096

    /// State of a token that this node does not know.
    enum Standing {
        /// Invalid: the tokens have been read since it was first presented.
        case refuted
        /// Noted, until the next read of the tokens shows whether it is valid.
        case doubted
        /// In doubt too, but not noted for lack of space; later reads settle the noted ones first.
        case unnoted
    }

    private struct Shown {
        /// Presented since the tokens were last read.
        var doubted: Set<[UInt8]> = []
        /// Absent when the tokens were last read.
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

    /// Noted tokens, which a read that begins now will settle; pass them to `wereRead` afterwards.
    var doubted: Set<[UInt8]> { state.withLock { $0.doubted } }

    func wereRead(_ digests: Set<[UInt8]>) {
        state.withLock { state in
            state.doubted.subtract(digests)
            state.refuted.formUnion(digests)
        }
    }

    /// Tokens have changed: each noted token may be valid by now.
    func forget() { state.withLock { $0 = Shown() } }
}
