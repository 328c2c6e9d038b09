import ChannelAPNs
import RelayModel
import RelayProtocol
import Testing

@testable import PushPlanner
@testable import RelayCore

@Suite("A name under which an approval was asked before")
struct UsedNameTests {
    typealias T = RelayTranscript
    private let a1 = ApprovalID("a1")!

    /// So many that the relay no longer has the first of them in memory.
    private static let others = 2 * SessionLimits.resolvedApprovalsMax + 10

    /// a1 is over, and so many others are that a1 is on disk alone.
    private func forget(_ verdict: Decision.Verdict?) -> (T, host: PeerID, client: PeerID, next: Int64) {
        let (t, host, client) = T.withPendingApproval()
        if let verdict {
            t.command(T.decide(verdict), id: "k1", by: client)
            t.commit()
        }
        var next: Int64 = 3
        func say(_ heads: [EventHead]) {
            t.send(heads, first: next, by: host)
            next += Int64(heads.count)
            t.commit()
        }
        say([verdict == nil ? .approvalCancelled(a1, reason: "over") : .approvalApplied(a1, outcome: .denied)])
        for number in 0..<Self.others {
            let id = ApprovalID("b\(number)")!
            say([T.request(id.rawValue), .approvalCancelled(id, reason: "over")])
        }
        _ = (t.take(client), t.take(host))
        return (t, host, client, next)
    }

    @Test("asks nobody, however long ago that was: what was denied stays denied", arguments: [true, false])
    func longAgo(sameInput: Bool) {
        let (t, host, client, next) = forget(.deny(message: "no"))
        #expect(t.relay.shown[T.key]?.approvals[a1] == nil, "only the log has it")
        t.send([T.request(digest: sameInput ? T.digest : T.otherDigest)], first: next, by: host)
        t.commit()
        let said = t.take(client)
        #expect(!said.contains { $0.contains(#""type":"approval""#) }, "nobody is shown it")
        #expect(said.filter { $0.contains(#""type":"summary""#) }.allSatisfy { !$0.contains("waitingApproval") })
        t.settle()
        #expect(t.take(client).contains { $0.contains("a name that an earlier one has") })
        #expect(t.approvals[a1]?.stage.word == .applied && t.approvals[a1]?.request.digest == T.digest)
        #expect(t.timers[.approvalExpiry(T.key, a1)] == nil)
        for (digest, code) in [(T.otherDigest, "digestMismatch"), (T.digest, "alreadyDecided")] {
            t.command(T.decide(.allow, digest: digest), id: "k-\(code)", by: client)
            t.commit()
            t.read()
            #expect(t.take(client).last?.contains(code) == true)
        }
        #expect(t.states[T.key]?.summary.approvals == 0)
    }

    @Test("asks nobody while the relay has it at hand: another input is said to be refused, the same one is the same question")
    func atHand() {
        let (t, host, client) = T.withPendingApproval()
        t.send([T.request(digest: T.digest)], first: 3, by: host)
        t.commit()
        #expect(t.take(client).allSatisfy { !$0.contains("a name that") })
        t.send([T.request(digest: T.otherDigest)], first: 4, by: host)
        t.commit()
        #expect(t.states[T.key]?.summary.error?.contains("a name that an earlier one has") == true)
        t.command(T.decide(.allow, digest: T.otherDigest), id: "k1", by: client)
        #expect(t.take(client).last?.contains("digestMismatch") == true)
        t.command(T.decide(.allow), id: "k2", by: client)
        t.commit()
        #expect(t.approvals[a1]?.stage.word == .decided)
    }

    @Test("asks nobody where its host went on meanwhile")
    func overtaken() {
        let (t, host, client, next) = forget(nil)
        t.send([T.request(digest: T.otherDigest)], first: next, by: host)
        t.handle(.tickEnded)
        t.send([.approvalCancelled(a1, reason: "late")], first: next + 1, by: host)
        t.finishCommit()
        t.settle()
        #expect(t.approvals[a1]?.stage.reason == "over" && t.approvals[a1]?.stage.word == .cancelled)
        #expect(!t.take(client).contains { $0.contains(#""type":"approval""#) })
    }

    @Test("is another's: the code of a notification decides the input that it showed, and no other")
    func code() throws {
        let rig = try PlannerRig { $0.text = .full }
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100)
        let order = try #require(rig.take().first)
        #expect(order.code?.digest == T.digest)
        rig.agent(.approvalCancelled(a1, reason: "over"))
        for number in 0..<Self.others {
            let id = ApprovalID("b\(number)")!
            rig.agent(T.request(id.rawValue), .approvalCancelled(id, reason: "over"))
        }
        rig.agent(T.request("a1", digest: T.otherDigest))
        #expect(!rig.present(order.id, .allow).contains(#""stage""#))
        #expect(rig.transcript.approvals[a1]?.decision == nil)
    }

    @Test("a code that an older relay kept, which does not say for which input, decides nothing")
    func olderCode() throws {
        let rig = try PlannerRig { $0.text = .full }
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100)
        let order = try #require(rig.take().first)
        let (channels, record) = (PlannerRig.configuration.channels, PlannedPush(order, card: nil).bytes(by: APNsChannel()))
        #expect(try PlannedPush(stored: record, in: T.home.id, channels).intent.code == order.code)
        let older = String(decoding: record, as: UTF8.self).replacing(#""digest":"\#(T.digest.rawValue)","#, with: "")
        #expect(try PlannedPush(stored: Array(older.utf8), in: T.home.id, channels).intent.code == nil)
    }
}
