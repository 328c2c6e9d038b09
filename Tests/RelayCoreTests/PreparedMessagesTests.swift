import RelayCore
import RelayModel
import RelayProtocol
import Testing

/// Messages of a batch are made while the disk is busy with it.
struct PreparedMessagesTests {
    typealias T = RelayTranscript

    /// Messages to each peer in the life of an approval, two steps of which share a batch.
    private func life(prepared: Bool) -> [PeerID: [String]] {
        let t = RelayTranscript()
        t.preparesMessages = prepared
        let (host, follower, watcher) = (t.host(), t.client(), t.client("tablet"))
        t.command(.subscribe(nil, after: nil), id: "w", by: watcher)
        t.send([T.started], first: 1, by: host)
        t.commit()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 1)), id: "s", by: follower)
        t.send([T.request()], first: 2, by: host)
        t.commit()
        t.command(T.decide(.allow), id: "k", by: follower)
        t.commit()
        t.send([.approvalDelivered(ApprovalID("a1")!), .approvalApplied(ApprovalID("a1")!, outcome: .ran)], first: 3, by: host)
        t.commit()
        return t.sent
    }

    @Test func `what is made ahead is what would have been made afterwards, byte by byte`() {
        let sent = life(prepared: true)
        #expect(sent == life(prepared: false))
        #expect(sent.values.joined().contains { $0.hasPrefix(#"{"type":"decision""#) })
        #expect(sent.values.joined().contains { $0.contains(#""stage":"applied""#) })
        #expect(!sent.values.joined().contains { $0.contains(#""stage":"delivered""#) })
    }

    @Test func `a host that leaves while its batch is under way is shown as away`() throws {
        let t = RelayTranscript()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "w", by: client)
        t.send([T.started], first: 1, by: host)
        t.commit()
        t.send([T.request()], first: 2, by: host)
        t.handle(.tickEnded)
        t.handle(.disconnected(host))
        _ = t.take(client)
        t.finishCommit()
        let summaries = t.take(client).filter { $0.hasPrefix(#"{"type":"summary""#) }
        #expect(summaries.count == 1)
        guard case .summary(let summary) = try MessageToClient(parsing: Array(try #require(summaries.last).utf8)) else {
            Issue.record("a summary is parsed as one")
            return
        }
        #expect(!summary.hostIsConnected && summary.approvals == 1)
    }

    @Test func `a client that comes while the batch is under way is sent what nobody else was there for`() throws {
        let t = RelayTranscript()
        let host = t.host()
        t.send([T.started], first: 1, by: host)
        t.commit()
        t.send([T.request()], first: 2, by: host)
        t.handle(.tickEnded)
        let client = t.client()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 1)), id: "s", by: client)
        _ = t.take(client)
        t.finishCommit()
        #expect(t.types(client) == ["events", "summary", "approval"])
    }

    @Test func `what was made of a batch that the disk did not take is never sent`() throws {
        let (t, host, client) = T.withPendingApproval()
        t.command(T.decide(.allow), id: "k", by: client)
        t.failCommit()
        #expect(!t.take(host).contains { $0.contains("decision") })
        #expect(!t.take(client).contains { $0.contains(#""stage":"decided""#) })
        t.command(T.decide(.deny(message: nil)), id: "k2", by: client)
        t.commit()
        #expect(t.take(host).first { $0.hasPrefix(#"{"type":"decision""#) }?.contains(#""decision":"deny""#) == true)
    }
}
