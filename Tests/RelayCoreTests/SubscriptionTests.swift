import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Subscriptions")
struct SubscriptionTests {
    typealias T = RelayTranscript

    private func withEvents(_ count: Int) -> (RelayTranscript, host: PeerID) {
        let t = T()
        let host = t.host()
        t.send([T.started] + (1..<count).map { .sessionRenamed(title: "t\($0 + 1)") }, first: 1, by: host)
        t.commit()
        return (t, host)
    }

    @Test("a snapshot carries the tail and all pending approvals, and what follows continues from it")
    func snapshotThenLive() throws {
        let (t, host) = withEvents(3)
        t.send([T.request()], first: 4, by: host)
        t.commit()
        let client = t.client()
        t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        t.send([.sessionRenamed(title: "meanwhile")], first: 5, by: host)
        t.commit()
        t.read()
        t.send([.sessionRenamed(title: "after")], first: 6, by: host)
        t.commit()
        let messages = t.take(client)
        #expect(try T.numbers(messages) == [1, 2, 3, 4, 5, 6])
        #expect(messages.contains { $0.contains(#""type":"snapshot""#) && $0.contains(#""stage":"pending""#) })
    }

    @Test("a position is continued without gap or repeat, however much is committed meanwhile", arguments: [0, 1, 2, 5])
    func resume(_ seq: Int64) throws {
        let (t, host) = withEvents(5)
        let client = t.client()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: seq)), id: "1", by: client)
        t.send([.sessionRenamed(title: "6")], first: 6, by: host)
        t.commit()
        t.read()
        t.send([.sessionRenamed(title: "7")], first: 7, by: host)
        t.commit()
        t.read()
        #expect(try T.numbers(t.take(client)) == Array(seq + 1...7))
    }

    @Test("what is of the same moment stands in the order of its names, each time one asks")
    func order() throws {
        let t = T()
        let host = t.host()
        let names = (10..<30).map { "s\($0)" }
        for name in names.shuffled() { t.send([T.started, T.request("a-" + name)], to: SessionID(name)!, first: 1, by: host) }
        t.commit()
        let client = t.client()
        _ = t.take(client)
        for id in ["1", "2"] {
            t.command(.subscribe(nil, after: nil), id: id, by: client)
            t.handle(.tickEnded)
            let bytes = try #require(t.take(client).last).utf8
            guard case .workspaceSnapshot(let sessions, let approvals, _, _) = try MessageToClient(parsing: Array(bytes)) else {
                Issue.record("no snapshot")
                return
            }
            #expect(sessions.map(\.session.rawValue) == names)
            #expect(approvals.map(\.id.rawValue) == names.map { "a-" + $0 })
        }
    }

    @Test("a long replay comes in pages")
    func pages() throws {
        let (t, host) = withEvents(256)
        for batch in 0..<4 {
            t.send((0..<250).map { .sessionRenamed(title: "\($0)") }, first: Int64(257 + batch * 250), by: host)
        }
        t.commit()
        let client = t.client()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 10)), id: "1", by: client)
        t.read()
        #expect(try T.numbers(t.take(client)) == Array(11...1256))
    }

    @Test("a position that cannot be continued is answered by reset and a snapshot")
    func resets() throws {
        let (t, _) = withEvents(3)
        let client = t.client()
        t.command(.subscribe(T.session, after: Position(epoch: Epoch("other")!, seq: 1)), id: "1", by: client)
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 4)), id: "2", by: client)
        t.read()
        let messages = t.take(client)
        #expect(messages.contains(#"{"type":"reset","session":"s1","reason":"epochChanged"}"#))
        #expect(messages.contains(#"{"type":"reset","session":"s1","reason":"ahead"}"#))
        #expect(messages.count { $0.contains(#""type":"snapshot""#) } == 1, "the later subscription is the one that counts")
    }

    @Test("history pages backwards and never past what is committed")
    func history() throws {
        let (t, host) = withEvents(10)
        t.send([.sessionRenamed(title: "11")], first: 11, by: host)
        t.handle(.tickEnded)
        let client = t.client()
        _ = t.take(client)
        t.command(.history(T.session, before: 8, limit: 3), id: "1", by: client)
        t.command(.history(T.session, before: 99, limit: 2), id: "2", by: client)
        t.read()
        #expect(try T.numbers(t.take(client)) == [5, 6, 7, 9, 10])
    }

    @Test("one message a tick for each session, however many events it brought")
    func coalesced() {
        let (t, host) = withEvents(1)
        let client = t.client()
        t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        t.read()
        _ = t.take(client)
        for number in 2...20 { t.send([.sessionRenamed(title: "x")], first: Int64(number), by: host) }
        t.commit()
        #expect(t.types(client) == ["events", "summary"])
    }

    @Test("who watches the workspace and a session hears each thing once")
    func noDoubles() {
        let (t, host) = withEvents(1)
        let client = t.client()
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        t.command(.subscribe(T.session, after: nil), id: "2", by: client)
        t.read()
        _ = t.take(client)
        t.send([T.request()], first: 2, by: host)
        t.commit()
        #expect(t.types(client) == ["events", "summary", "approval"])
    }

    @Test("unsubscribing and leaving end it")
    func unsubscribe() {
        let (t, host) = withEvents(1)
        let client = t.client()
        t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        t.read()
        t.command(.unsubscribe(T.session), id: "2", by: client)
        _ = t.take(client)
        t.send([.sessionRenamed(title: "x")], first: 2, by: host)
        t.commit()
        #expect(t.take(client).isEmpty)
        t.command(.subscribe(T.session, after: nil), id: "3", by: client)
        t.handle(.disconnected(client))
        t.read()
        #expect(t.types(client) == ["reply"])
    }

    @Test("a prompt goes only to a host that takes one")
    func prompt() {
        let (t, host) = withEvents(1)
        let client = t.client()
        _ = t.take(client)
        t.command(.steer(T.session, .prompt(.init(text: "go"))), id: "1", by: client)
        #expect(t.take(client).first?.contains(#""code":"unsupported""#) == true)
        t.handle(.hostSent(host, .hello(Hello(software: "test", capabilities: [.steer]))))
        t.send([T.takesPrompts], first: 2, by: host)
        t.commit()
        _ = t.take(host)
        _ = t.take(client)
        t.command(.steer(T.session, .prompt(.init(text: "go"))), id: "2", by: client)
        t.commit()
        #expect(
            t.take(host) == [
                #"{"type":"prompt","id":"2","session":"s1","by":{"id":"phone","name":"phone"},"text":"go","busy":"queue"}"#
            ])
    }

    @Test("a host that leaves is shown as away, and as back when it returns")
    func connectedness() {
        let (t, host) = withEvents(1)
        let client = t.client()
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        _ = t.take(client)
        t.handle(.disconnected(host))
        #expect(t.take(client).first?.contains(#""connected":false"#) == true)
        _ = t.host(sessions: [T.session])
        #expect(t.take(client).first?.contains(#""connected":true"#) == true)
    }

    @Test("asking over and over orders one read at a time, and the last request counts")
    func storm() throws {
        let (t, _) = withEvents(5)
        let client = t.client()
        for number in 0..<1000 { t.command(.subscribe(T.session, after: nil), id: "k\(number)", by: client) }
        #expect(t.pendingReads.count == 1)
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 3)), id: "last", by: client)
        _ = t.take(client)
        t.read()
        let messages = t.take(client)
        #expect(try T.numbers(messages) == [4, 5], "\(messages)")
    }

    @Test("one client has a bounded number of reads under way")
    func boundedReads() {
        let (t, _) = withEvents(200)
        let client = t.client()
        _ = t.take(client)
        for number in 1...100 { t.command(.history(T.session, before: Int64(number), limit: 1), id: "h\(number)", by: client) }
        #expect(t.pendingReads.count == Limits.readsAtOnceMax && t.relay.census.waiters == 30)
        #expect(t.take(client).count { $0.contains(#""code":"tooMany""#) } == 68)
        t.read()
        t.command(.history(T.session, before: 3, limit: 1), id: "again", by: client)
        #expect(t.pendingReads.count == 1)
    }

    @Test("who asks for the same is served by one read and one message, each once")
    func sharedReads() throws {
        let (t, host) = withEvents(5)
        let clients = (1...50).map { t.client("c\($0)") }
        for client in clients {
            _ = t.take(client)
            t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        }
        // A client that left and came back still counts as one.
        t.command(.unsubscribe(T.session), id: "2", by: clients[0])
        t.command(.subscribe(T.session, after: nil), id: "3", by: clients[0])
        #expect(t.pendingReads.count == 1)
        t.send([.sessionRenamed(title: "6")], first: 6, by: host)
        t.commit()
        t.read()
        for client in clients { #expect(try T.numbers(t.take(client)) == [1, 2, 3, 4, 5, 6]) }
    }

    @Test("a disk that cannot be read just now sends who follows away, to come back with its position")
    func readFailed() {
        let (t, _) = withEvents(5)
        let client = t.client()
        t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        t.command(.history(T.session, before: 3, limit: 1), id: "2", by: client)
        _ = t.take(client)
        t.failReads(isLasting: false)
        #expect(t.closed[client] == .restarting)
        #expect(t.take(client).count { $0.contains(#""code":"unavailable""#) } == 1)
    }

    @Test(
        "an event that is damaged for good is never shown, and keeps nobody from what is and what comes", arguments: [nil, 2])
    func damagedEvent(position: Int64?) throws {
        let (t, host) = withEvents(5)
        let client = t.client()
        _ = t.take(client)
        t.command(.subscribe(T.session, after: position.map { Position(epoch: T.epoch, seq: $0) }), id: "1", by: client)
        t.failReads(isLasting: true)
        if position != nil {
            #expect(t.take(client).last == #"{"type":"reset","session":"s1","reason":"trimmed"}"#)
            t.failReads(isLasting: true)
        }
        let snapshot = try #require(t.take(client).last)
        #expect(snapshot.contains(#""seq":5,"first":6,"events":[]"#), "\(snapshot)")
        t.send([.sessionRenamed(title: "6")], first: 6, by: host)
        t.commit()
        #expect(try T.numbers(t.take(client)) == [6])
        #expect(t.closed[client] == nil)

        t.command(.history(T.session, before: 3, limit: 1), id: "2", by: client)
        t.failReads(isLasting: true)
        #expect(t.take(client).last?.contains(#""code":"damaged","message":"no""#) == true)
    }

    @Test("clients that ask for the workspace in one tick get one snapshot, made once")
    func sharedWorkspace() {
        let (t, host) = withEvents(2)
        let clients = (1...3).map { t.client("c\($0)") }
        for client in clients {
            _ = t.take(client)
            t.handle(.clientSent(client, .command(CommandID("1")!, .subscribe(nil, after: nil))))
        }
        // Changes before the snapshot is made are in it, and are not sent first.
        t.handle(.disconnected(host))
        for client in clients { #expect(t.types(client) == ["reply"]) }
        t.handle(.tickEnded)
        for client in clients { #expect(t.types(client) == ["snapshot"]) }
    }
}
