internal import Glibc
internal import Synchronization

/// A connection on its way from the loop that accepted it to the loop that serves it; closed if it never arrives.
final class AcceptedSocket: Sendable {
    let peer: Peer
    /// `peer` is the address that a PROXY header gave.
    let isNamedByProxy: Bool
    /// The peer that it counts for, see `ServerHandler.countedPeer`.
    let counted: Peer?
    /// The place of the loop that serves it, see `Admission`.
    let place: Int
    /// One too many: it is told so, and counts for nobody and nowhere.
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

    /// Once: it is the caller's to close from here on.
    func take() -> Int32 {
        descriptor.withLock { descriptor in
            guard let taken = descriptor.take() else { preconditionFailure("a connection is served by one loop") }
            return taken
        }
    }
}
