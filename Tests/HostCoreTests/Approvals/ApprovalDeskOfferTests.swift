import RelayProtocol
import Testing

@testable import HostCore

@Suite("Approval desk: an agent's own options")
struct ApprovalDeskOfferTests {
    private static let always = AgentOffer(
        Offer(id: "o1", label: "Always", rule: "Run(ls *)", scope: .local), bytes: Array(#"{"rule":"ls *"}"#.utf8))
    private static let never = AgentOffer(
        Offer(id: "o2", label: "Never", scope: .agent, effect: .deny), bytes: Array(#""never""#.utf8))
    private static let both = [always, never]

    private static func asked(_ offers: [AgentOffer] = both, isCut: Bool = false) -> (bench: DeskBench, digest: InputDigest) {
        var bench = DeskBench()
        var question = DeskBench.question(offers: offers)
        question.isCut = isCut
        _ = bench.tell(.asked(question))
        return (bench, question.digest)
    }

    @Test("a plain answer never takes an offer")
    func plain() {
        var (bench, digest) = Self.asked()
        #expect(bench.decide(.allow, digest: digest).last == "hook 1: allow")
        (bench, digest) = Self.asked()
        #expect(bench.decide(.deny(message: "no"), digest: digest).last == "hook 1: deny: no")
    }

    @Test("a chosen offer is said with the agent's own bytes, and what follows is an allow's or a denial's")
    func chosen() {
        var (bench, digest) = Self.asked()
        #expect(bench.decide(.allowWith(offer: "o1"), digest: digest).last == #"hook 1: choose {"rule":"ls *"}"#)
        #expect(bench.show(.carriedOut(answers: nil, failed: false)).contains("applied ran"))
        (bench, digest) = Self.asked()
        #expect(bench.decide(.denyWith(offer: "o2", message: "no"), digest: digest).last == #"hook 1: choose "never": no"#)
        #expect(bench.show(.reported(.ourDenial)).contains("applied denied"))
    }

    @Test(
        "what was not offered, is of the other effect, or comes with a mode is no answer",
        arguments: [
            Decision.Verdict.allowWith(offer: "o3"), .allowWith(offer: "o2"), .denyWith(offer: "o1", message: nil),
            .allowWith(offer: "o1", mode: "careful"),
        ])
    func foreign(_ verdict: Decision.Verdict) {
        var (bench, digest) = Self.asked()
        #expect(bench.decide(verdict, digest: digest) == ["stale badAnswer", "forget", "hook 1: no decision"])
    }

    @Test("the digest covers what is offered: its words, its bytes, its order, and that there is anything")
    func digest() {
        let (_, digest) = Self.asked()
        var reworded = Self.always
        reworded = AgentOffer(Offer(id: "o1", label: "Always", rule: "Run(l *)", scope: .local), bytes: reworded.bytes)
        let respelled = AgentOffer(Self.always.shown, bytes: Array(#"{"rule":"*"}"#.utf8))
        for offers in [[], [Self.always], [Self.never, Self.always], [reworded, Self.never], [respelled, Self.never]] {
            var (bench, own) = Self.asked(offers)
            #expect(own != digest)
            #expect(bench.decide(.allow, digest: digest) == ["stale digestMismatch", "forget", "hook 1: no decision"])
        }
        #expect(DeskBench.question().digest == DeskBench.digests.input(tool: "Run", Array("ls".utf8)), "without offers as ever")
    }

    @Test("where people do not see the whole, nothing is offered, and no offer is taken")
    func cut() {
        for verdict in [Decision.Verdict.allowWith(offer: "o1"), .denyWith(offer: "o2", message: nil)] {
            var (bench, digest) = Self.asked(isCut: true)
            #expect(bench.desk[bench.shown]?.offers == [])
            #expect(bench.decide(verdict, digest: digest) == ["stale notWhole", "forget", "hook 1: no decision"])
        }
    }

    @Test("after a restart the same hook is handed the same choice, and one that offers something else is another question")
    func restart() {
        for (verdict, expected) in [
            (Decision.Verdict.allowWith(offer: "o1"), #"hook 2: choose {"rule":"ls *"}"#),
            (.denyWith(offer: "o2", message: "no"), #"hook 2: choose "never": no"#),
        ] {
            var (bench, digest) = Self.asked()
            _ = bench.decide(verdict, digest: digest)
            _ = bench.restart()
            #expect(bench.tell(.asked(DeskBench.question(token: 2, attempt: 2, offers: Self.both))).last == expected)
        }
        var (bench, digest) = Self.asked()
        _ = bench.decide(.allowWith(offer: "o1"), digest: digest)
        _ = bench.restart()
        #expect(bench.tell(.asked(DeskBench.question(token: 2, attempt: 2, offers: [Self.never]))) == ["remember", "show"])
    }

    @Test("a decision that waited for its hook takes the offer when it is back")
    func held() {
        var (bench, digest) = Self.asked()
        _ = bench.restart()
        #expect(bench.decide(.allowWith(offer: "o1"), digest: digest) == [])
        let lines = bench.tell(.asked(DeskBench.question(token: 2, attempt: 2, offers: Self.both)))
        #expect(lines.last == #"hook 2: choose {"rule":"ls *"}"#)
    }

    @Test("only what can be shown exactly is offered")
    func showable() {
        func offer(_ id: String = "o", label: String = "Always", rule: String? = nil) -> AgentOffer {
            AgentOffer(Offer(id: id, label: label, rule: rule, scope: .local), bytes: [])
        }
        func kept(_ offers: AgentOffer...) -> [String] { AgentOffer.showable(offers, Cleaner()).map(\.shown.id) }
        #expect(kept(offer("a"), offer("b")) == ["a", "b"])
        #expect(kept(offer("a"), offer("b"), offer("a")) == ["b"], "two of one name cannot be told apart")
        #expect(kept(offer(rule: "Run(curl -u ada:ghp_16C7e42F292c6912E7710c838347Ae178B4a *)")) == [])
        #expect(kept(offer(label: ""), offer("")) == [])
        #expect(kept(offer(rule: String(repeating: "x", count: WireLimits.lineBytesMax + 1))) == [])
        #expect(kept(offer(label: String(repeating: "x", count: WireLimits.nameBytesMax + 1))) == [])
        let long = String(repeating: "x", count: WireLimits.lineBytesMax - 100)
        #expect(
            kept(offer("a", rule: long), offer("b", rule: long), offer("c", rule: long)) == ["a", "b"], "there is no more room")
        let many = (0...WireLimits.offersMax).map { offer("o\($0)") }
        #expect(AgentOffer.showable(many, Cleaner()).count == WireLimits.offersMax)
    }
}
