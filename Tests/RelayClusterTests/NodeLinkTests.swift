import RelayModel
import Testing

@testable import RelayCluster

@Suite("What goes over a link between nodes")
struct NodeLinkTests {
    private let opening = PeerOpening(
        tokenDigest: Array(0..<32), isHost: true, baseURL: "https://relay.example", peer: .ip("2001:db8::1"),
        counted: .ip("2001:db8::"))
    private let call = HTTPCall(
        method: "POST", path: "/v1/pair", query: "a=ä", headers: [HTTPField("host", "x"), HTTPField("cookie", "")],
        body: Array(0...255), peer: .administrator, isNamedByProxy: true, isTLS: false)

    private var ofEdges: [EdgeMessage] {
        [
            .open(0, opening), .text(1, Array("{}".utf8)), .text(200_000, []), .closed(3), .congested(4), .drained(5),
            .call(1, call), .call(1 << 40, call),
        ]
    }
    private var ofOwners: [OwnerMessage] {
        [
            .text([0, 127, 128, 16_384], Array(repeating: 9, count: 300)), .text([], []),
            .close(7, code: 4401, reason: "révoqué"),
            .pause(1), .resume(1), .forgotten(2),
            .answer(3, HTTPAnswer(status: 503, headers: [HTTPField("retry-after", "1")], body: [1])),
        ]
    }

    @Test("what was written is read, several records in one message")
    func roundTrip() throws {
        var writer = RecordWriter()
        for message in ofEdges { message.write(to: &writer) }
        #expect(try EdgeMessage.read(writer.take()) == ofEdges)
        for message in ofOwners { message.write(to: &writer) }
        #expect(try OwnerMessage.read(writer.take()) == ofOwners)
        #expect(writer.isEmpty)
    }

    @Test("what is cut off anywhere within a record is refused")
    func cut() throws {
        for message in ofEdges {
            var writer = RecordWriter()
            message.write(to: &writer)
            let bytes = writer.take()
            for count in 1..<bytes.count {
                #expect(throws: NodeLinkError.self) { try EdgeMessage.read(Array(bytes.prefix(count))) }
            }
        }
        for message in ofOwners {
            var writer = RecordWriter()
            message.write(to: &writer)
            let bytes = writer.take()
            for count in 1..<bytes.count {
                #expect(throws: NodeLinkError.self) { try OwnerMessage.read(Array(bytes.prefix(count))) }
            }
        }
    }

    @Test("numbers and lengths that claim more than there is room for are refused, and nothing is made of them")
    func large() {
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
        for kind: UInt8 in 1...6 {
            #expect(throws: NodeLinkError.self) { try EdgeMessage.read([kind] + huge) }
            #expect(throws: NodeLinkError.self) { try OwnerMessage.read([kind] + huge) }
            #expect(throws: NodeLinkError.self) { try EdgeMessage.read([kind, 0] + huge) }
        }
        #expect(throws: NodeLinkError.self) { try EdgeMessage.read([0]) }
        #expect(throws: NodeLinkError.self) { try OwnerMessage.read([99]) }
        #expect(throws: NodeLinkError.self) { try EdgeMessage.read([2, 0] + huge.dropLast() + [0x7F]) }
    }

    @Test("a peer's name has its link, and is not used again when its number is")
    func names() throws {
        var peers = EdgePeers(link: 3)
        let first = try peers.open(5)
        #expect(RemotePeer.link(of: first.rawValue) == 3 && RemotePeer.number(of: first.rawValue) == 5)
        #expect(!first.isCommandPeer && first >= PeerID.firstRemote)
        #expect(throws: NodeLinkError.self) { try peers.open(5) }
        #expect(throws: NodeLinkError.self) { try peers.peer(4) }
        #expect(try peers.closed(5) == first)
        #expect(throws: NodeLinkError.self) { try peers.closed(5) }
        let second = try peers.open(5)
        #expect(second != first && peers.all == [second])
        #expect(first.isAtOneNode(with: second))
        #expect(!first.isAtOneNode(with: PeerID(rawValue: 5)))
        #expect(RemotePeer.link(of: 5) == nil && RemotePeer.link(of: PeerID.firstCommandPeer.rawValue) == nil)
        let request = RemotePeer.call(link: 3, number: 77)
        #expect(RemotePeer.link(of: request) == 3 && RemotePeer.callNumber(of: request) == 77)
    }
}
