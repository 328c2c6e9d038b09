import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Approvals: an agent's own options")
struct OfferTests {
    typealias T = RelayTranscript

    private static let always = Offer(id: "s0", label: "Always", rule: "Bash(npm test *)", scope: .local)
    private static let never = Offer(id: "never", label: "Never", scope: .agent, effect: .deny)

    private static func asked(
        _ offers: [Offer] = [always, never], isCut: Bool = false, kind: ApprovalKind = .tool
    ) -> (RelayTranscript, host: PeerID, client: PeerID) {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "sub", by: client)
        guard case .approvalRequested(var request) = T.request(kind: kind) else { preconditionFailure("it is a request") }
        request.offers = offers
        request.isCut = isCut
        t.send([T.started, .approvalRequested(request)], first: 1, by: host)
        t.commit()
        _ = t.take(host)
        return (t, host, client)
    }

    @Test("clients see what is offered, and the host is told what was chosen")
    func chosen() {
        for (verdict, expected) in [
            (Decision.Verdict.allowWith(offer: "s0"), #""decision":"allow","offer":"s0""#),
            (.denyWith(offer: "never", message: "no"), #""decision":"deny","message":"no","offer":"never""#),
        ] {
            let (t, host, client) = Self.asked()
            #expect(t.take(client).contains { $0.contains(#""rule":"Bash(npm test *)","scope":"local","effect":"allow""#) })
            t.command(T.decide(verdict), id: "k1", by: client)
            t.commit()
            #expect(t.take(host).contains { $0.contains(expected) })
        }
    }

    @Test(
        "what was not offered, is of the other effect, or comes with a mode is refused, and the card stays open",
        arguments: [
            Decision.Verdict.allowWith(offer: "s1"), .allowWith(offer: "never"), .denyWith(offer: "s0", message: nil),
            .denyWith(offer: "s1", message: nil), .allowWith(offer: "s0", mode: "acceptEdits"),
        ])
    func foreign(_ verdict: Decision.Verdict) {
        let (t, host, client) = Self.asked()
        _ = t.take(client)
        t.command(T.decide(verdict), id: "k1", by: client)
        t.commit()
        #expect(t.take(client).first?.contains(#""code":"badAnswer""#) == true)
        t.command(T.decide(.allow), id: "k2", by: client)
        t.commit()
        #expect(t.types(host) == ["decision"])
    }

    @Test("two offers of one name are none")
    func ambiguous() {
        let (t, _, client) = Self.asked([Self.always, Self.always])
        _ = t.take(client)
        t.command(T.decide(.allowWith(offer: "s0")), id: "k1", by: client)
        t.commit()
        #expect(t.take(client).first?.contains(#""code":"badAnswer""#) == true)
    }

    @Test("with what is not whole no offer is taken, not even one that denies")
    func cut() {
        for verdict in [Decision.Verdict.allowWith(offer: "s0"), .denyWith(offer: "never", message: nil)] {
            let (t, host, client) = Self.asked(isCut: true)
            _ = t.take(client)
            t.command(T.decide(verdict), id: "k1", by: client)
            t.commit()
            #expect(t.take(client).first?.contains(#""code":"notWhole""#) == true)
            #expect(t.types(host).isEmpty)
        }
    }

    @Test("a question has no offers")
    func question() {
        for verdict in [Decision.Verdict.allowWith(offer: "s0"), .denyWith(offer: "never", message: nil)] {
            let (t, _, client) = Self.asked(kind: .question)
            _ = t.take(client)
            t.command(T.decide(verdict), id: "k1", by: client)
            t.commit()
            #expect(t.take(client).first?.contains(#""code":"wrongKind""#) == true)
        }
    }

    @Test("an edit is taken from who may steer, where it is offered, and is told as it came")
    func edited() {
        let edit = Decision.Verdict.allowEdited(#"{"command":"ls"}"#)
        for (editable, isSealed, isCut, role, expected) in [
            (["command"], false, false, PairingRole.operator, nil), ([], false, false, .operator, "badAnswer"),
            ([], true, false, .operator, nil), (["command"], false, true, .operator, "notWhole"),
            (["command"], false, false, .client, "forbidden"),
        ] as [([String], Bool, Bool, PairingRole, String?)] {
            let t = T()
            let (host, client) = (t.host(), t.client(scope: Scope(of: role)))
            t.command(.subscribe(nil, after: nil), id: "sub", by: client)
            guard case .approvalRequested(var request) = T.request() else { preconditionFailure("it is a request") }
            (request.editable, request.isCut) = (editable, isCut)
            if isSealed {
                let key = HostKeyID("c2l4dGVlbi1rZXktYnl0ZQ")!
                request.consent = RequestConsent(host: key, shown: InputDigest(String(repeating: "a", count: 64))!)
            }
            t.send([T.started, .approvalRequested(request)], first: 1, by: host)
            t.commit()
            _ = (t.take(host), t.take(client))
            t.command(T.decide(edit), id: "k1", by: client)
            t.commit()
            if let expected {
                #expect(t.take(client).first?.contains("\"code\":\"\(expected)\"") == true)
                #expect(t.types(host).isEmpty)
            } else {
                #expect(t.take(host).contains { $0.contains(#""decision":"edit","edit":"{\"command\":\"ls\"}""#) })
            }
        }
    }

    @Test("a plain allow and a chosen offer are two decisions: the first wins")
    func conflict() {
        let (t, _, client) = Self.asked()
        _ = t.take(client)
        t.command(T.decide(.allow), id: "k1", by: client)
        t.command(T.decide(.allowWith(offer: "s0")), id: "k2", by: client)
        t.commit()
        let replies = t.take(client).filter { $0.contains("reply") }
        #expect(replies.contains { $0.contains(#""id":"k2""#) && $0.contains(#""code":"alreadyDecided""#) })
    }
}
