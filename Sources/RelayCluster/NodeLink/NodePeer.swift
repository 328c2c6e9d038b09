/// Origin of a connection to an edge.
package enum NodePeer: Sendable, Equatable {
    /// A network peer with this numeric address.
    case ip(String)
    /// The relay's own user, or root, at the socket of the edge's machine, as the edge has verified.
    case administrator
    /// Another process at that socket.
    case local

    func write(to writer: inout RecordWriter) {
        switch self {
        case .ip(let address):
            writer.byte(0)
            writer.text(address)
        case .administrator: writer.byte(1)
        case .local: writer.byte(2)
        }
    }

    init(from reader: inout RecordReader) throws(NodeLinkError) {
        switch try reader.byte() {
        case 0: self = .ip(try reader.text("a peer's address"))
        case 1: self = .administrator
        case 2: self = .local
        default: throw NodeLinkError(.unknownKind, "a peer on the link is of an unknown kind")
        }
    }
}
