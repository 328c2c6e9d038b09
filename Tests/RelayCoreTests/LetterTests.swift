import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Letters between clients and hosts")
struct LetterTests {
    typealias T = RelayTranscript

    private static let key = HostKeyID("AAAAAAAAAAAAAAAAAAAAAA")!
    private static let otherKey = HostKeyID("AAAAAAAAAAAAAAAAAAAAAQ")!
    private static let work = Named<WorkspaceTag>(id: WorkspaceID("work")!, name: "Work")
    private static let letter = Letter(Array("hello".utf8))!
    private static let toHost = #"{"type":"letter","from":{"id":"phone","name":"phone"},"bytes":"aGVsbG8"}"#
    private static let toClient = #"{"type":"letter","from":"AAAAAAAAAAAAAAAAAAAAAA","bytes":"aGVsbG8"}"#

    private func host(
        _ t: RelayTranscript, _ name: String = "laptop", key: HostKeyID? = key, in workspace: WorkspaceID = T.home.id
    ) -> PeerID {
        let peer = t.host(name, in: workspace)
        say(key, by: peer, t)
        return peer
    }

    private func say(_ key: HostKeyID?, by peer: PeerID, _ t: RelayTranscript) {
        t.handle(.hostSent(peer, .hello(Hello(software: "test", key: key))))
        _ = t.take(peer)
    }

    private func client(
        _ t: RelayTranscript, _ name: String = "phone", in workspace: Named<WorkspaceTag> = T.home,
        scope: Scope = Scope(of: .client)
    ) -> PeerID {
        let peer = t.client(name, in: workspace, scope: scope)
        _ = t.take(peer)
        return peer
    }

    /// The code of the refusal; nil if it was sent.
    private func write(_ t: RelayTranscript, to key: HostKeyID = key, by client: PeerID) throws -> String? {
        try write(t, to: .host(key), by: client)
    }

    private func write(_ t: RelayTranscript, to other: String, by client: PeerID) throws -> String? {
        try write(t, to: .client(ClientID(other)!), by: client)
    }

    private func write(_ t: RelayTranscript, to peer: LetterPeer, by client: PeerID) throws -> String? {
        t.command(.letter(Self.letter, to: peer), id: "k1", by: client)
        let reply = try #require(t.take(client).last)
        return try JSONDocument(parsing: reply).root.optional("error")?.string("code")
    }

    private func answer(_ t: RelayTranscript, to client: String = "phone", by host: PeerID) {
        t.handle(.hostSent(host, .letter(Self.letter, to: ClientID(client)!)))
    }

    // MARK: - Who gets them

    @Test("a client's letter reaches the host with these keys and no other, with the client's name, and is on no disk")
    func toItsHost() throws {
        let t = T()
        let (mine, other, without) = (host(t), host(t, "tower", key: Self.otherKey), host(t, "old", key: nil))
        #expect(try write(t, by: client(t)) == nil)
        #expect(t.take(mine) == [Self.toHost])
        #expect(t.take(other).isEmpty && t.take(without).isEmpty)
        t.handle(.tickEnded)
        #expect(t.pendingBatch == nil)
    }

    @Test("a host's letter reaches all connections of its client and no other")
    func toItsClient() {
        let t = T()
        let mine = host(t)
        let (one, two, other) = (client(t), client(t), client(t, "tablet"))
        answer(t, by: mine)
        #expect(t.take(one) == [Self.toClient] && t.take(two) == [Self.toClient])
        #expect(t.take(other).isEmpty && t.take(mine).isEmpty)
    }

    @Test("a client's letter to another reaches all connections of that one, with the sender's id, and no host")
    func toAnotherClient() throws {
        let t = T()
        let mine = host(t)
        let (phone, one, two, third) = (client(t), client(t, "tablet"), client(t, "tablet"), client(t, "desk"))
        #expect(try write(t, to: "tablet", by: phone) == nil)
        let letter = #"{"type":"letter","client":"phone","bytes":"aGVsbG8"}"#
        #expect(t.take(one) == [letter] && t.take(two) == [letter])
        #expect(t.take(third).isEmpty && t.take(mine).isEmpty)
        t.handle(.tickEnded)
        #expect(t.pendingBatch == nil)
    }

    @Test(
        "no letter reaches a client of another workspace, one that only watches, or one that has left, and all are refused alike"
    )
    func unreachableClients() throws {
        let t = T()
        let phone = client(t)
        let others = [
            client(t, "tablet", in: Self.work), client(t, "watcher", scope: Scope(of: .watcher)), client(t, "gone"),
        ]
        t.handle(.disconnected(others[2]))
        for name in ["tablet", "watcher", "gone", "nobody"] {
            #expect(try write(t, to: name, by: phone) == "unavailable")
        }
        #expect(try write(t, to: "phone", by: others[1]) == "forbidden")
        #expect(others.allSatisfy { t.take($0).isEmpty } && t.take(phone).isEmpty)
    }

    @Test("a client gets 120 letters at once of all others together")
    func limitOfReceiver() throws {
        let t = T()
        let phone = client(t)
        for count in 0..<121 {
            #expect(try write(t, to: "phone", by: client(t, "c\(count)")) == (count < 120 ? nil : "tooMany"))
        }
        #expect(t.take(phone).count == 120)
        t.pass(2 * Limits.housekeepingInterval)
        #expect(t.relay.census.senders == 0)
    }

    @Test("two hosts that claim the same keys both get a letter: neither keeps it from the other")
    func twoClaims() throws {
        let t = T()
        let hosts = [host(t, "laptop"), host(t, "thief")]
        #expect(try write(t, by: client(t)) == nil)
        #expect(hosts.map(t.take) == [[Self.toHost], [Self.toHost]])
    }

    @Test("no letter leaves its workspace, also between peers of the same names and keys")
    func wall() throws {
        let t = T()
        let hosts = [host(t), host(t, in: Self.work.id)]
        let clients = [client(t), client(t, in: Self.work)]
        #expect(try write(t, by: clients[1]) == nil)
        #expect(t.take(hosts[0]).isEmpty && t.take(hosts[1]) == [Self.toHost])
        answer(t, by: hosts[1])
        #expect(t.take(clients[0]).isEmpty && t.take(clients[1]) == [Self.toClient])
        say(Self.otherKey, by: hosts[1], t)
        #expect(try write(t, by: clients[1]) == "unavailable")
        #expect(t.take(hosts[0]).isEmpty)
    }

    @Test("who may not decide writes no letter and gets none", arguments: [Scope(of: .watcher), .steer, .administer])
    func rights(scope: Scope) throws {
        let t = T()
        let mine = host(t)
        let phone = client(t, scope: scope)
        #expect(try write(t, by: phone) == "forbidden")
        answer(t, by: mine)
        #expect(t.take(mine).isEmpty && t.take(phone).isEmpty)
    }

    @Test("a host that has named no keys writes no letter")
    func withoutKeys() {
        let t = T()
        let (old, phone) = (host(t, key: nil), client(t))
        answer(t, by: old)
        #expect(t.take(phone).isEmpty && t.take(old).isEmpty)
    }

    @Test("nothing is said of a client that is not there, or never was")
    func unknownClient() {
        let t = T()
        let mine = host(t)
        for name in ["phone", "nobody"] { answer(t, to: name, by: mine) }
        #expect(t.take(mine).isEmpty)
    }

    // MARK: - Who is there

    @Test("the last hello counts, and with its host its keys are gone")
    func hello() throws {
        let t = T()
        let mine = host(t)
        let phone = client(t)
        say(Self.otherKey, by: mine, t)
        #expect(try write(t, by: phone) == "unavailable")
        #expect(try write(t, to: Self.otherKey, by: phone) == nil)
        say(nil, by: mine, t)
        #expect(try write(t, to: Self.otherKey, by: phone) == "unavailable")
        say(Self.key, by: mine, t)
        t.handle(.disconnected(mine))
        #expect(try write(t, by: phone) == "unavailable")
        #expect(t.relay.census.breach == nil)
    }

    @Test("the newer connection of a host gets its letters, and the end of the older one takes nothing away")
    func replaced() throws {
        let t = T()
        let older = host(t)
        let newer = host(t)
        let phone = client(t)
        t.handle(.disconnected(older))
        _ = t.take(older)
        #expect(try write(t, by: phone) == nil)
        #expect(t.take(older).isEmpty && t.take(newer) == [Self.toHost])
        answer(t, by: older)
        #expect(t.take(phone).isEmpty)
        #expect(t.relay.census.breach == nil)
    }

    @Test("a connection that has left, or is shown out, gets none, and one that is congested misses it")
    func gone() {
        let t = T()
        let mine = host(t)
        let (left, slow, out) = (client(t), client(t), client(t, "tablet"))
        t.handle(.disconnected(left))
        t.handle(.congested(slow))
        t.handle(.clientsListed([ClientKey(workspace: T.home.id, client: ClientID("phone")!)]))
        for name in ["phone", "tablet"] { answer(t, to: name, by: mine) }
        #expect([left, slow, out].map(t.take) == [[], [], []])
        t.handle(.drained(slow))
        #expect(t.take(slow).isEmpty, "it was not kept")
        answer(t, by: mine)
        #expect(t.take(slow) == [Self.toClient])
        #expect(t.relay.census.breach == nil)
    }

    // MARK: - How many

    @Test("a client may send 30 letters at once, with all its connections, and one a second after that; another is not held up")
    func limitOfClient() throws {
        let t = T()
        let mine = host(t)
        let (one, two, other) = (client(t), client(t), client(t, "tablet"))
        for count in 0..<30 { #expect(try write(t, by: count.isMultiple(of: 2) ? one : two) == nil) }
        #expect(try write(t, by: one) == "tooMany")
        #expect(try write(t, by: two) == "tooMany")
        #expect(try write(t, by: other) == nil)
        #expect(t.take(mine).count == 31)
        t.now += 1_000
        #expect(try write(t, by: one) == nil)
        #expect(try write(t, by: one) == "tooMany")
    }

    @Test("to look for keys that nobody has costs as much as a letter")
    func guessing() throws {
        let t = T()
        let phone = client(t)
        for _ in 0..<30 { #expect(try write(t, by: phone) == "unavailable") }
        #expect(try write(t, by: phone) == "tooMany")
    }

    @Test("one host gets 120 letters at once of all clients together, and sends as many; the rest is dropped")
    func limitOfHost() throws {
        let t = T()
        let mine = host(t)
        let phone = client(t)
        for count in 0..<121 {
            #expect(try write(t, by: client(t, "c\(count)")) == (count < 120 ? nil : "tooMany"))
            answer(t, by: mine)
        }
        #expect(t.take(mine).count == 120 && t.take(phone).count == 120)
        // The same client in the other workspace has its own limit.
        _ = host(t, in: Self.work.id)
        #expect(try write(t, by: client(t, in: Self.work)) == nil)
    }

    @Test("what was sent is forgotten once it does not count any more")
    func forgotten() throws {
        let t = T()
        let mine = host(t)
        let phone = client(t)
        #expect(try write(t, by: phone) == nil)
        answer(t, by: mine)
        #expect(t.relay.census.senders == 3)
        t.pass(2 * Limits.housekeepingInterval)
        #expect(t.relay.census.senders == 0)
    }
}
