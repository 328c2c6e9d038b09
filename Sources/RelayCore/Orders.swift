import RelayModel
import RelayProtocol

/// Collects the effects of one input from all parts of the core, in order.
struct Orders {
    private var effects: [Effect] = []
    private var lastReadID: UInt64 = 0

    mutating func add(_ effect: Effect) { effects.append(effect) }

    mutating func send(_ message: MessageToHost, toHost peer: PeerID) { send(message.bytes, to: peer) }

    mutating func send(_ bytes: [UInt8], to peer: PeerID) { effects.append(.send(bytes, to: [peer])) }

    mutating func send(_ bytes: [UInt8], to peers: [PeerID]) { effects.append(.send(bytes, to: peers)) }

    mutating func send(_ message: MessageToClient, to peers: [PeerID]) {
        if !peers.isEmpty { effects.append(.send(message.bytes, to: peers)) }
    }

    mutating func reply(_ reply: Reply, to command: CommandID, of peer: PeerID) {
        if peer.isCommandPeer { add(.answer(reply, to: command, of: peer)) } else { send(.reply(command, reply), to: [peer]) }
    }

    /// A fresh identifier for the next read; none is used twice.
    mutating func nextReadID() -> ReadID {
        lastReadID += 1
        return ReadID(rawValue: lastReadID)
    }

    mutating func take() -> [Effect] {
        // Nearly always there are none; and an array that has been returned is not reused.
        guard !effects.isEmpty else { return [] }
        defer { effects = [] }
        return effects
    }
}
