import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Looks and keys on their way to terminals")
struct ScreenTests {
    typealias T = RelayTranscript

    private static let name = SteeringName(client: ClientID("phone")!, command: CommandID("k1")!)
    private static let asked =
        #"{"type":"screen","id":"k1","session":"\#(T.session.rawValue)","by":{"id":"phone","name":"phone"}}"#

    private func world(hasScreen: Bool = true, scope: Scope = Scope(of: .operator)) -> (T, host: PeerID, client: PeerID) {
        let t = T()
        let host = t.host(capabilities: [.steer])
        var offer = SteeringOffer(actions: [.stop])
        offer.hasScreen = hasScreen
        t.send([T.started, .steeringOffered(offer)], first: 1, by: host)
        t.commit()
        let client = t.client(scope: scope)
        _ = t.take(host)
        _ = t.take(client)
        return (t, host, client)
    }

    private func look(_ t: T, _ id: String = "k1", by client: PeerID) {
        t.command(.screen(T.session, .look(after: nil)), id: id, by: client)
    }

    private func answer(_ t: T, _ answer: ScreenAnswer, to name: SteeringName = name, by host: PeerID) {
        t.handle(.hostSent(host, .answered(name, answer)))
    }

    /// The codes of the errors that it got.
    private func codes(_ t: T, _ client: PeerID) throws -> [String] {
        try t.take(client).compactMap { try JSONDocument(parsing: $0).root.optional("error")?.string("code") }
    }

    @Test("a look goes to the session's host, its answer to the connection that asked, and nothing to the disk")
    func there() {
        let (t, host, client) = world()
        let other = t.client()
        _ = t.take(other)
        look(t, by: client)
        #expect(t.take(host) == [Self.asked])
        #expect(t.take(client) == [])
        answer(t, .screen(Array(#"{"of":"t.1"}"#.utf8)), by: host)
        #expect(t.take(client) == [#"{"type":"reply","id":"k1","screen":{"of":"t.1"}}"#])
        answer(t, .screen(Array("{}".utf8)), by: host)
        #expect(t.take(client) == [] && t.take(other) == [], "once")
        t.handle(.tickEnded)
        #expect(t.pendingBatch == nil)
        #expect(t.relay.census.breach == nil)
    }

    @Test("a watcher sees and does not type; what a host sends to keys is their sender's alone")
    func watcher() throws {
        let (t, host, client) = world(scope: Scope(of: .watcher))
        look(t, by: client)
        #expect(t.take(host).count == 1)
        t.command(.screen(T.session, .type([97])), id: "k2", by: client)
        #expect(try codes(t, client) == ["forbidden"] && t.take(host) == [])
        let steers = t.client("tablet", scope: Scope(of: .operator))
        _ = t.take(steers)
        t.command(.screen(T.session, .type([97]), signature: "s"), id: "k2", by: steers)
        #expect(t.take(host).first?.contains(#""keys":"YQ","signature":"s""#) == true)
        answer(t, .typed, to: SteeringName(client: ClientID("tablet")!, command: CommandID("k2")!), by: host)
        #expect(t.take(steers) == [#"{"type":"reply","id":"k2"}"#])
    }

    @Test("where there is no terminal, no host, or no session any more, the asker is told")
    func refused() throws {
        let (t, _, client) = world(hasScreen: false)
        look(t, by: client)
        #expect(try codes(t, client) == ["unsupported"])
        let (u, host, other) = world()
        look(u, by: other)
        u.handle(.disconnected(host))
        #expect(try codes(u, other) == ["unavailable"], "it does not wait for one that has gone")
        look(u, "k2", by: other)
        #expect(try codes(u, other) == ["unavailable"])
        #expect(u.relay.census.breach == nil)
    }

    @Test("no other host answers, and nobody is answered who has left")
    func foreign() {
        let (t, host, client) = world()
        let thief = t.host("thief")
        look(t, by: client)
        answer(t, .screen(Array("{}".utf8)), by: thief)
        #expect(t.take(client) == [])
        t.handle(.disconnected(client))
        answer(t, .screen(Array("{}".utf8)), by: host)
        #expect(t.relay.census.breach == nil && t.relay.census.waiters == 0)
    }

    @Test("one connection waits for few answers, and may ask twenty times a second")
    func bounded() throws {
        let (t, host, client) = world()
        for number in 0..<Limits.screensOfClientMax { look(t, "w\(number)", by: client) }
        #expect(try codes(t, client) == [])
        look(t, "more", by: client)
        #expect(try codes(t, client) == ["tooMany"])
        for number in 0..<Limits.screensOfClientMax {
            answer(t, .typed, to: SteeringName(client: ClientID("phone")!, command: CommandID("w\(number)")!), by: host)
        }
        _ = t.take(client)
        var refused = 0
        for number in 0..<60 {
            look(t, "r\(number)", by: client)
            answer(t, .typed, to: SteeringName(client: ClientID("phone")!, command: CommandID("r\(number)")!), by: host)
            refused += try codes(t, client).count
        }
        #expect(refused > 20 && refused < 40)
        t.now += 31_000
        look(t, "later", by: client)
        #expect(try codes(t, client) == [])
    }
}
