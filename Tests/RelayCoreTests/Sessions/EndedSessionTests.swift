import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Approvals of a session that ends")
struct EndedSessionTests {
    typealias T = RelayTranscript

    private static let ended = EventHead.sessionEnded(reason: nil, failed: false)

    private func approval(_ transcript: T) -> Approval? { transcript.approvals.values.first { $0.id.rawValue == "a1" } }

    @Test("what is pending ends with its session: nobody can allow it any more", arguments: [false, true])
    func pending(isFailure: Bool) throws {
        let (t, host, client) = T.withPendingApproval()
        t.send([.sessionEnded(reason: nil, failed: isFailure)], first: 3, by: host)
        t.commit()
        #expect(approval(t)?.stage.word == .stale && approval(t)?.stage.reason == "sessionEnded")
        #expect(t.take(client).contains { $0.contains(#""stage":"stale""#) && $0.contains(#""reason":"sessionEnded""#) })
        t.command(T.decide(.allow), id: "k1", by: client)
        t.commit()
        #expect(t.take(client).first?.contains(#""code":"closed""#) == true)
        #expect(!t.types(host).contains("decision"))
    }

    @Test("an allow that the host does not have yet is not sent any more", arguments: [false, true])
    func decided(isInOneBatch: Bool) throws {
        let (t, host, client) = T.withPendingApproval()
        t.command(T.decide(.allow), id: "k1", by: client)
        if !isInOneBatch {
            t.commit()
            #expect(t.types(host) == ["decision"])
        }
        t.send([Self.ended], first: 3, by: host)
        t.commit()
        #expect(approval(t)?.stage.word == .stale && approval(t)?.decision?.verdict == .allow)
        #expect(!t.types(host).contains("decision"))
        t.handle(.disconnected(host))
        let again = t.host()
        #expect(!t.types(again).contains("decision"))
    }

    @Test("of a decision that the agent has, its host says what came of it, also after the end")
    func delivered() throws {
        let (t, host, client) = T.withPendingApproval()
        t.command(T.decide(.allow), id: "k1", by: client)
        t.commit()
        t.send([.approvalDelivered(ApprovalID("a1")!), Self.ended], first: 3, by: host)
        t.commit()
        #expect(approval(t)?.stage.word == .delivered)
        t.send([.approvalApplied(ApprovalID("a1")!, outcome: .ran)], first: 5, by: host)
        t.commit()
        #expect(approval(t)?.stage.word == .applied)
    }

    @Test("its host's own word comes before the end, or too late; a session that goes on asks anew")
    func word() throws {
        let (t, host, client) = T.withPendingApproval()
        t.send([Self.ended, .approvalCancelled(ApprovalID("a1")!, reason: "agentGone")], first: 3, by: host)
        t.commit()
        #expect(approval(t)?.stage.reason == "sessionEnded")
        #expect(t.log[T.key]?.count == 4)
        t.send([T.started, T.request("a2")], first: 5, by: host)
        t.commit()
        t.command(T.decide(.allow, "a2"), id: "k1", by: client)
        t.commit()
        #expect(t.types(host).contains("decision"))
    }

    @Test("a phone that rang is told that its session has ended")
    func phone() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.ask("a1")
        rig.pass(2_000)
        let ring = try #require(rig.take().first { $0.purpose == .alert })
        rig.agent(Self.ended)
        rig.pass(2_000)
        let settled = try #require(rig.take().first { $0.collapse == ring.collapse })
        #expect(settled.text.contains("Its session has ended") && settled.urgency == .whenConvenient)
    }
}
