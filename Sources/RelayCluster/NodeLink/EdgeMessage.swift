/// A message from the edge to the owner. The edge numbers its peers, below `NodeLinkLimits.peersMax`; the number of a disconnected
/// peer is used again only once the owner has sent `forgotten`: then no message for the earlier peer is in flight.
package enum EdgeMessage: Sendable, Equatable {
    case open(Int, PeerOpening)
    /// A peer's message, which is not parsed by the edge.
    case text(Int, [UInt8])
    /// The peer has disconnected.
    case closed(Int)
    case congested(Int)
    case drained(Int)
    /// An HTTP request. The number counts from 1, and is used once on one link.
    case call(UInt64, HTTPCall)

    /// The peer to whose share of the link the message counts; nil: none.
    package var speaker: Int? { if case .text(let peer, _) = self { peer } else { nil } }

    package func write(to writer: inout RecordWriter) {
        switch self {
        case .open(let peer, let opening):
            writer.byte(1)
            writer.number(peer)
            opening.write(to: &writer)
        case .text(let peer, let bytes):
            writer.byte(2)
            writer.number(peer)
            writer.data(bytes)
        case .closed(let peer): Self.write(3, peer, to: &writer)
        case .congested(let peer): Self.write(4, peer, to: &writer)
        case .drained(let peer): Self.write(5, peer, to: &writer)
        case .call(let number, let call):
            writer.byte(6)
            writer.number(number)
            call.write(to: &writer)
        }
    }

    private static func write(_ kind: UInt8, _ peer: Int, to writer: inout RecordWriter) {
        writer.byte(kind)
        writer.number(peer)
    }

    /// Decodes every record of one message of the link.
    package static func read(_ bytes: [UInt8]) throws(NodeLinkError) -> [EdgeMessage] {
        var reader = RecordReader(bytes)
        var messages: [EdgeMessage] = []
        while !reader.isAtEnd { messages.append(try EdgeMessage(from: &reader)) }
        return messages
    }

    private init(from reader: inout RecordReader) throws(NodeLinkError) {
        func peer() throws(NodeLinkError) -> Int {
            try reader.number(below: NodeLinkLimits.peersMax, "a peer's number")
        }
        switch try reader.byte() {
        case 1: self = .open(try peer(), try PeerOpening(from: &reader))
        case 2: self = .text(try peer(), try reader.data(atMost: NodeLinkLimits.messageBytesMax, "a message"))
        case 3: self = .closed(try peer())
        case 4: self = .congested(try peer())
        case 5: self = .drained(try peer())
        case 6: self = .call(try reader.number(), try HTTPCall(from: &reader))
        case let kind: throw NodeLinkError(.unknownKind, "a record of the link is of the unknown kind \(kind)")
        }
    }
}
