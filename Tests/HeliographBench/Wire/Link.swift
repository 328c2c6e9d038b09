internal import HeliographCrypto

/// One connection of the load. Only the driver reads and writes its socket.
final class Link {
    enum Role { case host, client }

    enum State {
        /// The socket is connecting, or the upgrade is not answered yet.
        case upgrading
        /// Frames go both ways.
        case open
        /// The socket is closed.
        case closed
    }

    let role: Role
    /// Number among the hosts, or the clients, from 0.
    let number: Int
    var state = State.upgrading
    var descriptor: Int32
    /// Start of an incomplete frame.
    var tail: [UInt8] = []
    /// Nil if the link speaks plain HTTP.
    let tls: TLSSession?
    /// Output before it is encrypted into TLS records.
    var unsealed: [UInt8] = []
    /// Output that the socket has not taken yet, from `outboxSent` on.
    var outbox: [UInt8] = []
    var outboxSent = 0
    /// True if the socket was full: the driver waits until it is writable.
    var waitsForRoom = true

    init(role: Role, number: Int, descriptor: Int32, tls: TLSSession?, upgrade: [UInt8]) {
        self.role = role
        self.number = number
        self.descriptor = descriptor
        self.tls = tls
        if tls == nil { outbox = upgrade } else { unsealed = upgrade }
    }

    var name: String { "\(role) \(number)" }

    func queue(_ text: [UInt8], opcode: Frame.Opcode = .text) {
        if tls == nil { Frame.append(text, opcode, to: &outbox) } else { Frame.append(text, opcode, to: &unsealed) }
    }
}
