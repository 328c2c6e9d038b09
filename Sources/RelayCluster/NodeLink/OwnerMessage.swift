/// A message from the owner to an edge. Peers are identified by the edge's numbers.
package enum OwnerMessage: Sendable, Equatable {
    /// Send this text to each of these peers; the link carries it once.
    case text([Int], [UInt8])
    /// Disconnect the peer; `closed` follows.
    case close(Int, code: UInt16, reason: String)
    /// Stop reading the peer, until `resume`.
    case pause(Int)
    case resume(Int)
    /// The answer to `closed`: no more messages follow for the peer, and its number is free.
    case forgotten(Int)
    case answer(UInt64, HTTPAnswer)

    package func write(to writer: inout RecordWriter) {
        switch self {
        case .text(let peers, let bytes):
            writer.byte(1)
            writer.numbers(peers)
            writer.data(bytes)
        case .close(let peer, let code, let reason):
            writer.byte(2)
            writer.number(peer)
            writer.number(UInt64(code))
            writer.text(reason)
        case .pause(let peer): Self.write(3, peer, to: &writer)
        case .resume(let peer): Self.write(4, peer, to: &writer)
        case .forgotten(let peer): Self.write(5, peer, to: &writer)
        case .answer(let number, let answer):
            writer.byte(6)
            writer.number(number)
            answer.write(to: &writer)
        }
    }

    private static func write(_ kind: UInt8, _ peer: Int, to writer: inout RecordWriter) {
        writer.byte(kind)
        writer.number(peer)
    }

    /// Decodes every record of one message of the link.
    package static func read(_ bytes: [UInt8]) throws(NodeLinkError) -> [OwnerMessage] {
        var reader = RecordReader(bytes)
        var messages: [OwnerMessage] = []
        while !reader.isAtEnd { messages.append(try OwnerMessage(from: &reader)) }
        return messages
    }

    private init(from reader: inout RecordReader) throws(NodeLinkError) {
        func peer() throws(NodeLinkError) -> Int {
            try reader.number(below: NodeLinkLimits.peersMax, "a peer's number")
        }
        switch try reader.byte() {
        case 1:
            let peers = try reader.numbers(
                atMost: NodeLinkLimits.peersMax, below: NodeLinkLimits.peersMax, "the count of peers", "a peer's number")
            self = .text(peers, try reader.data(atMost: NodeLinkLimits.messageBytesMax, "a message"))
        case 2:
            self = .close(
                try peer(), code: UInt16(try reader.number(below: 5_000, "a close code")), reason: try reader.text("a reason"))
        case 3: self = .pause(try peer())
        case 4: self = .resume(try peer())
        case 5: self = .forgotten(try peer())
        case 6: self = .answer(try reader.number(), try HTTPAnswer(from: &reader))
        case let kind: throw NodeLinkError(.unknownKind, "a record of the link is of the unknown kind \(kind)")
        }
    }
}
