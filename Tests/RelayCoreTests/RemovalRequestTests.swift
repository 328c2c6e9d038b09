import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Sessions that a client removes")
struct RemovalRequestTests {
    typealias T = RelayTranscript

    /// A running session, and a client that watches the workspace. All messages have been read.
    private func running(_ events: Int = 3) -> (RelayTranscript, host: PeerID, client: PeerID) {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "sub", by: client)
        t.send([T.started] + (1..<events).map { .sessionRenamed(title: "\($0)") }, first: 1, by: host)
        t.commit()
        _ = (t.take(host), t.take(client))
        return (t, host, client)
    }

    private func remove(_ t: RelayTranscript, by client: PeerID, _ id: String = "1") {
        t.command(.remove(T.session), id: id, by: client)
    }

    @Test("a session that goes on is removed too; the command is answered when it is gone from the disk")
    func removed() throws {
        let (t, host, client) = running()
        remove(t, by: client)
        t.handle(.tickEnded)
        #expect(t.take(client).isEmpty)
        t.finishCommit()
        #expect(t.take(client) == [#"{"type":"removed","session":"s1"}"#, #"{"type":"reply","id":"1"}"#])
        #expect(t.removed.keys.map(\.session) == [T.session] && t.states.isEmpty)
        #expect(t.relay.census.waiters == 0 && t.relay.census.breach == nil)
        // The session begins again at its last position.
        t.send([.sessionRenamed(title: "again")], first: 4, by: host)
        t.commit()
        #expect(t.states[T.key]?.seq == 4 && t.states[T.key]?.summary.first == 4)
    }

    @Test("what its host says meanwhile is sent again later: one that never pauses is removed all the same")
    func busy() {
        let (t, host, client) = running()
        t.send([.sessionRenamed(title: "staged")], first: 4, by: host)
        remove(t, by: client)
        t.handle(.tickEnded)
        t.send([.sessionRenamed(title: "later")], first: 5, by: host)
        #expect(t.take(host).last?.contains(#""code":"tooMany""#) == true)
        t.finishCommit()
        #expect(t.removed.isEmpty && t.take(client).contains { $0.contains(#""id":"1""#) } == false)
        t.fire(.trim)
        t.commit()
        #expect(t.removed[T.key]?.hostSeq == 4)
        #expect(t.take(client).last == #"{"type":"reply","id":"1"}"#)
        t.send([.sessionRenamed(title: "later")], first: 5, by: host)
        t.commit()
        #expect(t.states[T.key]?.hostSeq == 5)
    }

    @Test("a long one goes in steps, and others of its host go on meanwhile")
    func long() {
        let (t, host, client) = running(1)
        for first in stride(from: Int64(2), to: 5_000, by: 200) {
            t.send((0..<200).map { .sessionRenamed(title: "\($0)") }, first: first, by: host)
        }
        t.commit()
        _ = t.take(client)
        remove(t, by: client)
        t.commit()
        #expect(t.removed.isEmpty)
        t.send([T.started], to: SessionID("s2")!, first: 1, by: host)
        while t.timers[.trim] != nil {
            t.fire(.trim)
            t.commit()
        }
        #expect(t.removed.count == 1 && t.states.count == 1)
        #expect(t.take(client).last == #"{"type":"reply","id":"1"}"#)
    }

    @Test("nothing that waits for a decision is removed, nor what is not there, nor by who may not")
    func refused() {
        let (t, host, client) = running()
        t.send([T.request()], first: 4, by: host)
        t.commit()
        let (stranger, watcher) = (
            t.client("other", in: Named(id: WorkspaceID("other")!, name: "other")),
            t.client("watcher", scope: Scope(of: .watcher))
        )
        _ = (t.take(client), t.take(stranger), t.take(watcher))
        for peer in [client, stranger, watcher] { remove(t, by: peer) }
        #expect(t.take(client).last?.contains("unavailable") == true)
        #expect(t.take(stranger).last?.contains("notFound") == true)
        #expect(t.take(watcher).last?.contains("forbidden") == true)
        t.commit()
        #expect(t.removed.isEmpty && t.approvals[ApprovalID("a1")!]?.stage.word == .pending)
    }

    @Test("a client that leaves hears nothing, and a batch that fails is tried again")
    func failed() {
        let (t, _, client) = running()
        let other = t.client("tablet")
        remove(t, by: client)
        remove(t, by: other, "2")
        t.handle(.disconnected(client))
        _ = t.take(other)
        t.failCommit()
        #expect(t.removed.isEmpty)
        t.commit()
        #expect(t.removed.count == 1)
        #expect(t.take(other).last == #"{"type":"reply","id":"2"}"#)
        #expect(t.relay.census.waiters == 0)
    }
}
