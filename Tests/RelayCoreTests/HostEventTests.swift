import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Events from hosts")
struct HostEventTests {
    typealias T = RelayTranscript

    @Test("nothing is acknowledged or shown before it is on disk")
    func durableBeforeVisible() {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        _ = (t.take(host), t.take(client))
        t.send([T.started], first: 1, by: host)
        t.handle(.tickEnded)
        #expect(t.take(host).isEmpty)
        #expect(t.take(client).isEmpty)
        t.finishCommit()
        #expect(t.take(host) == [#"{"type":"ack","acks":[{"session":"s1","through":1}]}"#])
        #expect(t.types(client) == ["summary"])
    }

    @Test("what comes while a commit is under way makes one next batch")
    func groupCommit() {
        let t = T()
        let host = t.host()
        t.send([T.started], first: 1, by: host)
        t.handle(.tickEnded)
        for number in 2...5 {
            t.send([.sessionRenamed(title: "t\(number)")], first: Int64(number), by: host)
            t.handle(.tickEnded)
        }
        _ = t.take(host)
        t.finishCommit()
        #expect(t.take(host) == [#"{"type":"ack","acks":[{"session":"s1","through":1}]}"#])
        t.commit()
        #expect(t.take(host) == [#"{"type":"ack","acks":[{"session":"s1","through":5}]}"#])
        #expect(t.log[T.key]?.count == 5)
    }

    @Test("events sent again are stored once and acknowledged again")
    func repeats() {
        let t = T()
        let host = t.host()
        t.send([T.started, .sessionRenamed(title: "a")], first: 1, by: host)
        t.commit()
        _ = t.take(host)
        t.send([T.started, .sessionRenamed(title: "a"), .sessionRenamed(title: "b")], first: 1, by: host)
        t.commit()
        t.send([.sessionRenamed(title: "b")], first: 3, by: host)
        #expect(
            t.take(host) == [
                #"{"type":"ack","acks":[{"session":"s1","through":3}]}"#,
                #"{"type":"ack","acks":[{"session":"s1","through":3}]}"#,
            ])
        #expect(t.log[T.key]?.count == 3)
    }

    @Test("a hole is asked for, and a hole that cannot be filled is an event")
    func gaps() throws {
        let t = T()
        let host = t.host()
        _ = t.take(host)
        t.send([T.started], first: 1, by: host)
        t.send([.sessionRenamed(title: "x")], first: 5, by: host)
        #expect(t.take(host) == [#"{"type":"resend","session":"s1","from":2}"#])
        t.send([.sessionRenamed(title: "x")], first: 5, gap: true, by: host)
        t.commit()
        let kinds = try (t.log[T.key] ?? []).map { try Event(stored: $0).head }
        #expect(kinds == [T.started, .truncated(count: 3), .sessionRenamed(title: "x")])
        #expect(t.take(host) == [#"{"type":"ack","acks":[{"session":"s1","through":5}]}"#])
    }

    @Test("a host is told on return how far its sessions are on disk, not in flight")
    func welcomeAfterReturn() {
        let t = T()
        let first = t.host()
        t.send([T.started], first: 1, by: first)
        t.commit()
        t.send([.sessionRenamed(title: "x")], first: 2, by: first)
        let again = t.host(sessions: [T.session, SessionID("unknown")!])
        #expect(t.closed[first] == .replaced)
        let welcome = t.take(again).first ?? ""
        #expect(welcome.contains(#""sessions":[{"session":"s1","through":1},{"session":"unknown","through":0}]"#))
    }

    @Test("what an older connection says late does not take the host from the newer one")
    func lateHello() {
        let t = T()
        let identity = T.identity("laptop")
        let (old, new) = (PeerID(rawValue: 900), PeerID(rawValue: 800))
        let hello = HostMessage.hello(Hello(software: "test"))
        t.handle(.hostConnected(old, identity))
        t.handle(.hostConnected(new, identity))
        t.handle(.hostSent(new, hello))
        t.handle(.hostSent(old, hello))
        #expect(t.closed[old] == .replaced && t.closed[new] == nil)
        t.send([T.started], first: 1, by: new)
        t.commit()
        #expect(t.types(new).last == "ack")
    }

    @Test("a session belongs to its host")
    func ownership() {
        let t = T()
        let (laptop, server) = (t.host("laptop"), t.host("server"))
        t.send([T.started], first: 1, by: laptop)
        t.commit()
        _ = t.take(server)
        t.send([.sessionRenamed(title: "mine")], first: 2, by: server)
        t.commit()
        #expect(
            t.take(server) == [
                #"{"type":"notice","code":"notFound","message":"this session belongs to another host","path":"$.session","session":"s1"}"#
            ])
        #expect(t.log[T.key]?.count == 1)
    }

    @Test("before hello nothing has an effect")
    func helloFirst() {
        let t = T()
        let peer = PeerID(rawValue: 99)
        t.handle(.hostConnected(peer, T.identity("h")))
        t.send([T.started], first: 1, by: peer)
        t.commit()
        #expect(t.log.isEmpty)
        #expect(t.types(peer) == ["notice"])
    }

    @Test("when the disk refuses, nothing stays: hosts send again, and the numbering has no hole")
    func commitFails() {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        t.send([T.started], first: 1, by: host)
        t.commit()
        _ = (t.take(host), t.take(client))
        t.send([.sessionRenamed(title: "lost")], first: 2, by: host)
        t.failCommit()
        #expect(t.take(host) == [#"{"type":"notice","code":"unavailable","message":"no space"}"#], "no ack")
        #expect(!t.take(client).contains { $0.contains("lost") })
        #expect(t.closed[host] == .restarting)
        t.handle(.disconnected(host))
        let again = t.host(sessions: [T.session])
        t.send([.sessionRenamed(title: "kept")], first: 2, by: again)
        t.commit()
        #expect(t.states[T.key]?.summary.title == "kept")
        #expect(t.log[T.key]?.count == 2)
    }

    @Test("what a host sent behind events that the disk refused is not taken for all that there is")
    func afterRefusal() throws {
        let t = T()
        let host = t.host()
        t.send([T.started], first: 1, by: host)
        t.commit()
        t.send([.sessionRenamed(title: "two")], first: 2, by: host)
        t.failCommit()
        // Under way when the relay closed: 3 is gone at the host, 2 is not.
        t.send([.sessionRenamed(title: "four")], first: 4, gap: true, by: host)
        t.commit()
        t.handle(.disconnected(host))
        let again = t.host(sessions: [T.session])
        #expect(try #require(t.take(again).first).contains(#"{"session":"s1","through":1}"#))
        t.send([.sessionRenamed(title: "two")], first: 2, by: again)
        t.send([.sessionRenamed(title: "four")], first: 4, gap: true, by: again)
        t.commit()
        #expect(
            try t.log[T.key]?.dropFirst().map { try Event(stored: $0).head } == [
                .sessionRenamed(title: "two"), .truncated(count: 1), .sessionRenamed(title: "four"),
            ])
    }

    @Test("deltas reach those who are live on the session, and no log")
    func deltas() {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.send([T.started], first: 1, by: host)
        t.commit()
        t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        t.read()
        _ = t.take(client)
        t.handle(.hostSent(host, .deltas(Delta(session: T.session, message: "m", text: "Hel"))))
        #expect(t.take(client) == [#"{"type":"deltas","session":"s1","message":"m","text":"Hel"}"#])
        t.handle(.hostSent(host, .output(ToolOutput(session: T.session, call: "c", text: "one\n"))))
        #expect(t.take(client) == [#"{"type":"output","session":"s1","call":"c","text":"one\n"}"#])
        t.handle(.hostSent(t.host("other"), .output(ToolOutput(session: T.session, call: "c", text: "x\n"))))
        #expect(t.take(client).contains { $0.contains("output") } == false, "of another host")
        #expect(t.log[T.key]?.count == 1)
    }
}
