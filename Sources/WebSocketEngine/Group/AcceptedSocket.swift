internal import Glibc
internal import Synchronization

/// A connection on its way from the loop that accepted it to the loop that serves it; closed if it never arrives.
final class AcceptedSocket: Sendable {
    let peer: Peer
    /// True if `peer` is the address from a PROXY header.
    let isNamedByProxy: Bool
    /// The peer that it counts for, see `ServerHandler.countedPeer`.
    let counted: Peer?
    /// Index of the loop that serves it, see `Admission`.
    let place: Int
    /// Set for a connection above a limit: it is accepted to be told so, and is not counted anywhere.
    let refusal: TurnAwayReason?
    private let descriptor: Mutex<Int32?>

    init(_ descriptor: Int32, _ peer: Peer, isNamedByProxy: Bool, counted: Peer?, place: Int, refusal: TurnAwayReason? = nil) {
        self.descriptor = Mutex(descriptor)
        self.peer = peer
        self.isNamedByProxy = isNamedByProxy
        self.counted = counted
        self.place = place
        self.refusal = refusal
    }

    deinit {
        if let descriptor = descriptor.withLock({ $0 }) { Glibc.close(descriptor) }
    }

    /// Hands the descriptor to the caller, which closes it. Call once.
    func take() -> Int32 {
        descriptor.withLock { descriptor in
            guard let taken = descriptor.take() else { preconditionFailure("a connection is served by one loop") }
            return taken
        }
    }
}
