import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Commands have one effect")
struct CommandTests {
    typealias T = RelayTranscript

    private func withSession() -> (RelayTranscript, host: PeerID, client: PeerID) {
        let t = T()
        let host = t.host(capabilities: [.steer])
        t.send([T.started, T.takesPrompts], first: 1, by: host)
        t.commit()
        let client = t.client()
        _ = t.take(host)
        _ = t.take(client)
        return (t, host, client)
    }

    @Test("a prompt goes to its host when it is on disk, and once")
    func once() {
        let (t, host, client) = withSession()
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: client)
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: client)
        #expect(t.take(host) == [] && t.take(client) == [])
        #expect(t.relay.backlog().isAwaited)
        t.commit()
        #expect(t.take(host).count == 1)
        let sent = #"{"type":"reply","id":"p1","delivery":"sent"}"#
        #expect(t.take(client) == [sent, sent])
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: client)
        #expect(t.take(client) == [sent])
        t.commit()
        #expect(t.take(host) == [])
    }

    @Test("also over a restart, from another connection, and for a day")
    func afterRestart() {
        let (before, _, client) = withSession()
        before.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: client)
        before.commit()
        let t = T(state: before.state)
        t.resume(before)
        let host = t.host(capabilities: [.steer])
        let again = t.client()
        _ = t.take(host)
        _ = t.take(again)
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: again)
        t.commit()
        #expect(t.take(again) == [#"{"type":"reply","id":"p1","delivery":"unknown"}"#], "nobody knows whether it was sent")
        #expect(t.take(host) == [])
        let other = t.client("tablet")
        t.command(.steer(T.session, .prompt(.init(text: "another's"))), id: "p1", by: other)
        t.commit()
        #expect(t.take(host).count == 1, "ids are each client's own")
        t.now += 25 * 60 * 60 * 1000
        t.fire(.housekeeping)
        t.commit()
        #expect(t.commands == [])
    }

    @Test("what the disk does not take has no effect and may be tried again")
    func refused() {
        let (t, host, client) = withSession()
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: client)
        t.failCommit()
        #expect(t.take(host) == [])
        #expect(t.take(client).last?.contains("unavailable") == true)
    }

    @Test("a host that has gone meanwhile is not sent it later")
    func hostGone() {
        let (t, host, client) = withSession()
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: client)
        t.handle(.disconnected(host))
        t.commit()
        #expect(t.take(client).last?.contains("unavailable") == true)
        let back = t.host(capabilities: [.steer])
        t.commit()
        _ = t.take(back)
        _ = t.take(client)
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: client)
        t.commit()
        #expect(t.take(client).last?.contains("unavailable") == true, "sent again, it is still not sent")
        #expect(t.take(back) == [])
    }

    @Test("a decision on what was resolved long ago hears what it heard then")
    func longAgo() {
        let (t, host, client) = T.withPendingApproval()
        t.command(T.decide(.allow), id: "d1", by: client)
        t.commit()
        t.send([.approvalDelivered(ApprovalID("a1")!), .approvalApplied(ApprovalID("a1")!, outcome: .ran)], first: 3, by: host)
        t.commit()
        _ = t.take(client)
        t.now += 3 * 60 * 60 * 1000
        t.fire(.housekeeping)
        t.commit()
        t.command(T.decide(.allow), id: "d1", by: client)
        t.command(T.decide(.deny(message: nil)), id: "d2", by: client)
        t.command(T.decide(.allow, "a2"), id: "d3", by: client)
        t.command(T.decide(.allow, digest: InputDigest(String(repeating: "cd", count: 32))!), id: "d4", by: client)
        #expect(t.take(client) == [])
        t.read()
        let replies = t.take(client)
        #expect(replies.count == 4)
        #expect(replies[0] == #"{"type":"reply","id":"d1","stage":"applied"}"#)
        #expect(replies[1].contains("alreadyDecided"))
        #expect(replies[2].contains("notFound"))
        #expect(replies[3].contains("digestMismatch"))
    }
}
