import RelayModel

/// One WebSocket between a peer and the relay: bytes in order each way, and two ends that may notice its end at different times, by
/// their heartbeats if nothing arrives any more.
final class Connection {
    enum Role: Equatable {
        case host(Int)
        case client(Int)
        case phone(Int)
    }

    let id: PeerID
    let role: Role
    var isOpenAtRelay = false
    var isOpenAtPeer = false
    /// True if it is broken: nothing sent from now on arrives.
    var isCut = false
    /// True if a relay closed it that no longer knows the peer. Its messages in flight still arrive.
    var isDismissed = false
    /// True if messages in flight at the break are lost, too.
    var losesWhatIsUnderWay = false
    /// True if it is half-open: messages vanish, and neither end knows.
    var isSilent = false
    var lastArrivalAtRelay: Int64 = 0
    var lastArrivalAtPeer: Int64 = 0
    /// Bytes that wait at the relay's end for the peer to read them.
    var waitingBytes = 0
    var isCongested = false

    init(id: PeerID, role: Role) {
        self.id = id
        self.role = role
    }

    var name: String {
        switch role {
        case .host(let index): "host\(index)"
        case .client(let index): "client\(index)"
        case .phone(let index): "phone\(index)"
        }
    }
}
