import Consent
import RelayProtocol
import Testing

@testable import HostCore

@Suite("The approval desk over a restart of the daemon")
struct ApprovalDeskRestartTests {
    @Test("a hook that calls again finds its question open, in the same order, until its date")
    func reclaimed() {
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.ask(token: 2, run: "r2")
        #expect(bench.restart(after: .seconds(5)) == [])
        #expect(bench.desk.approvals.map(\.run) == ["r1", "r2"])
        #expect(bench.ask(token: 1, run: "r2", attempt: 2) == ["reopened"])
        #expect(bench.ask(token: 2, run: "r1", attempt: 2) == ["reopened"])
        #expect(bench.decide(.allow) == ["remember", "hook 1: allow"])
        #expect(bench.pass(.seconds(595)) == ["cancelled expired", "forget", "hook 2: no decision"])
    }

    @Test("one that does not come back in time is over")
    func orphaned() {
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.restart()
        #expect(bench.pass(.milliseconds(14_999)) == [])
        #expect(bench.pass(.milliseconds(1)) == ["cancelled hostRestarted", "forget"])
        #expect(bench.notes.isEmpty)
    }

    @Test("an answer that an earlier life handed over is handed over again to a hook that asks again")
    func again() {
        for (verdict, expected) in [
            (Decision.Verdict.allow, "hook 2: allow"), (.allowIn(mode: "careful"), "hook 2: allow carefully"),
            (.deny(message: "no"), "hook 2: deny: no"),
        ] {
            var bench = DeskBench()
            _ = bench.ask()
            _ = bench.decide(verdict)
            _ = bench.restart()
            #expect(bench.ask(token: 2, attempt: 2) == ["remember", expected])
        }
        var bench = DeskBench()
        _ = bench.ask(kind: .question)
        _ = bench.decide(.answer([Answer(question: "q0", choices: ["Blue"])]))
        _ = bench.restart()
        #expect(bench.ask(kind: .question, token: 2, attempt: 2) == ["remember", "hook 2: answer Blue"])
    }

    @Test("of two decisions that come while the hook is away the first stands, and none undoes a denial that was handed over")
    func second() {
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.restart()
        _ = bench.decide(.deny(message: "no"))
        _ = bench.decide(.allow)
        #expect(bench.ask(token: 2, attempt: 2) == ["remember", "hook 2: deny: no"])
        _ = bench.restart()
        _ = bench.decide(.allow)
        #expect(bench.ask(token: 3, attempt: 3) == ["remember", "hook 3: deny: no"])
    }

    @Test("a decision that waits for its hook is void once its device is distrusted, and another's stays")
    func distrusted() throws {
        let thief = try #require(KeyID([UInt8](repeating: 7, count: KeyID.count)))
        let other = try #require(KeyID([UInt8](repeating: 8, count: KeyID.count)))
        let text = SignatureText(device: thief, number: 1, signature: [UInt8](repeating: 1, count: 64))?.text
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.restart()
        _ = bench.decide(.allow, signature: text)
        #expect(bench.tell(.distrusted(other)) == [])
        var stays = bench
        #expect(stays.ask(token: 2, attempt: 2) == ["remember", "hook 2: allow"])
        #expect(bench.tell(.distrusted(thief)) == ["stale notTrusted", "forget"])
        #expect(bench.ask(token: 2, attempt: 2) == ["hook 2: no decision"])
    }

    @Test("an answer that is too long to be kept is not given again, and nothing is made up for it")
    func longAnswer() {
        var bench = DeskBench()
        _ = bench.ask(kind: .question)
        let long = String(repeating: "x", count: 3_000)
        _ = bench.decide(.answer([Answer(question: "q0", choices: [long])]))
        var other = bench
        _ = bench.restart()
        #expect(
            bench.ask(kind: .question, token: 2, attempt: 2) == ["stale hostRestarted", "forget", "hook 2: no decision"])
        _ = other.restart()
        #expect(other.pass(.seconds(15)) == [], "a hook that does not come back got it")
        let answers = [(question: "Which color?", value: long)]
        #expect(other.show(.carriedOut(answers: answers, failed: false)) == ["applied answered", "forget"])
    }

    @Test("what was not shown whole is not allowed by a hook that brings the whole again")
    func cut() {
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.tell(.cut(bench.shown))
        _ = bench.restart()
        #expect(bench.ask(token: 2, attempt: 2) == ["reopened"])
        #expect(bench.decide(.allow) == ["stale notWhole", "forget", "hook 2: no decision"])
    }

    @Test("a hook of the same name with another input is another question")
    func otherInput() {
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.decide(.allow)
        _ = bench.restart()
        #expect(bench.tell(.asked(DeskBench.question("rm -rf ~", token: 2, attempt: 2))) == ["remember", "show"])
    }

    @Test("an answer that its caller is known to have is handed over to nobody again, also after a restart")
    func received() {
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.decide(.allow)
        #expect(bench.tell(.answerReceived(bench.shown)) == ["remember"])
        #expect(bench.tell(.answerReceived(bench.shown)) == [])
        _ = bench.restart()
        #expect(bench.ask(token: 2, attempt: 2) == ["remember", "show"])
    }

    @Test("a note that cannot be read is no question")
    func damaged() throws {
        var bench = DeskBench()
        let id = try #require(ApprovalID("a1"))
        #expect(bench.tell(.restarted(notes: [id: Array("{".utf8)])) == [])
        #expect(bench.desk.approvals.isEmpty)
    }
}
