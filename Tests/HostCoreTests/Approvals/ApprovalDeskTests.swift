import RelayProtocol
import Testing

@testable import HostCore

@Suite("The approval desk")
struct ApprovalDeskTests {
    private static let blue = Decision.Verdict.answer([Answer(question: "q0", choices: ["Blue"])])

    // MARK: Decided

    @Test("allowed, handed to the hook that asked, and over when the agent shows that it ran")
    func allowed() {
        var bench = DeskBench()
        #expect(bench.ask() == ["remember", "show"])
        #expect(bench.decide(.allow) == ["remember", "hook 1: allow"])
        #expect(bench.decide(.allow) == [], "what becomes of it is told soon")
        #expect(bench.show(.carriedOut(answers: nil, failed: false)) == ["applied ran", "forget"])
        #expect(bench.desk.approvals.isEmpty && bench.notes.isEmpty && bench.desk.nextDeadline == nil)
    }

    @Test("denied in the person's words, or without any in ours")
    func denied() {
        var bench = DeskBench()
        _ = bench.ask()
        #expect(bench.decide(.deny(message: "use touch")) == ["remember", "hook 1: deny: use touch"])
        _ = bench.ask(token: 2, run: "r2")
        #expect(bench.decide(.deny(message: " ")).last == "hook 2: deny: Denied by Ada's phone through Heliograph.")
    }

    @Test("any byte of the input changed, a decision for what was shown is not applied")
    func anyByteChanged() {
        let shown = "echo hi > out.txt"
        for position in shown.utf8.indices {
            for mask: UInt8 in [1, 0x20, 0x80] {
                var bench = DeskBench()
                var question = DeskBench.question(shown)
                question.input[shown.utf8.distance(from: shown.startIndex, to: position)] ^= mask
                _ = bench.tell(.asked(question))
                let lines = bench.decide(.allow, digest: question.digest)
                #expect(lines == ["stale digestMismatch", "forget", "hook 1: no decision"])
            }
        }
    }

    @Test("what was not shown whole can be denied, never allowed or answered", arguments: [true, false])
    func cut(isCutLate: Bool) {
        for (kind, verdict) in [(ApprovalKind.tool, Decision.Verdict.allow), (.question, Self.blue)] {
            var bench = DeskBench()
            var question = DeskBench.question(kind: kind)
            question.isCut = !isCutLate
            _ = bench.tell(.asked(question))
            if isCutLate { #expect(bench.tell(.cut(bench.shown)) == ["remember"]) }
            #expect(bench.desk[bench.shown]?.input == [])
            var other = bench
            #expect(other.decide(.deny(message: "no")).last == "hook 1: deny: no")
            #expect(bench.decide(verdict) == ["stale notWhole", "forget", "hook 1: no decision"])
        }
    }

    @Test("an answer that the question does not take is none")
    func badAnswer() {
        for (kind, verdict) in [
            (ApprovalKind.tool, Decision.Verdict.allowIn(mode: "wild")), (.tool, Self.blue), (.question, .allow),
            (.question, .answer([])),
        ] {
            var bench = DeskBench()
            _ = bench.ask(kind: kind)
            #expect(bench.decide(verdict) == ["stale badAnswer", "forget", "hook 1: no decision"])
        }
        var bench = DeskBench()
        _ = bench.ask()
        #expect(bench.decide(.allowIn(mode: "careful")).last == "hook 1: allow carefully")
    }

    @Test("a decision for what is over is told to have no effect, once, and only where the relay does not know")
    func past() throws {
        var bench = DeskBench()
        _ = bench.ask()
        let unknown = try #require(ApprovalID("a0"))
        #expect(bench.decide(.allow, of: unknown) == ["stale unknownApproval"])
        #expect(bench.decide(.allow, of: unknown) == [])
        #expect(bench.show(.turnEnded(wentOn: false)) == ["cancelled turnEnded", "forget", "hook 1: no decision"])
        #expect(bench.decide(.allow) == [], "the relay learns it from that")
        _ = bench.ask(token: 2, run: "r2")
        #expect(
            bench.pass(.seconds(600)) == ["over", "forget", "hook 2: no decision"], "the relay says itself that it expired")
        #expect(bench.decide(.allow) == ["stale expired"])
        #expect(bench.decide(.allow) == [])
    }

    // MARK: Evidence

    /// The end that follows without a decision, and from our allow, our deny, and our answer to a question.
    static let evidence: [(shown: ApprovalEvidence, tool: String, allow: String, deny: String, answer: String)] = [
        (
            .carriedOut(answers: [("Which color?", "Blue")], failed: false), "cancelled allowedLocally", "applied ran",
            "stale allowedLocally", "applied answered"
        ),
        (
            .carriedOut(answers: [("Which color?", "Red")], failed: false), "cancelled allowedLocally", "applied ran",
            "stale allowedLocally", "stale answeredLocally"
        ),
        (
            .carriedOut(answers: nil, failed: true), "cancelled allowedLocally", "applied ran", "stale allowedLocally",
            "stale answeredLocally"
        ),
        (
            .reported(.rejection), "cancelled deniedLocally", "stale deniedLocally", "stale deniedLocally",
            "stale deniedLocally"
        ),
        (.reported(.ourDenial), "cancelled answeredLocally", "stale unconfirmed", "applied denied", "stale unconfirmed"),
        (.reported(.other), "cancelled answeredLocally", "stale unconfirmed", "stale answeredLocally", "stale unconfirmed"),
        (.turnEnded(wentOn: true), "cancelled turnEnded", "applied ran", "applied denied", "stale unconfirmed"),
        (.turnEnded(wentOn: false), "cancelled turnEnded", "stale unconfirmed", "applied denied", "stale unconfirmed"),
        (
            .answeredAtTerminal, "cancelled answeredLocally", "stale answeredLocally", "stale answeredLocally",
            "stale answeredLocally"
        ),
        (.deniedAtTerminal, "cancelled deniedLocally", "stale deniedLocally", "applied denied", "stale deniedLocally"),
        (.answersTaken, "cancelled answeredLocally", "stale answeredLocally", "stale answeredLocally", "applied answered"),
        (.withdrawn, "cancelled withdrawn", "stale unconfirmed", "stale unconfirmed", "stale unconfirmed"),
    ]

    @Test("what the agent shows decides how a question ended", arguments: evidence.indices)
    func shown(row: Int) {
        let row = Self.evidence[row]
        var open = DeskBench()
        _ = open.ask()
        #expect(open.show(row.shown) == [row.tool, "forget", "hook 1: no decision"])
        for (kind, verdict, expected) in [
            (ApprovalKind.tool, Decision.Verdict.allow, row.allow), (.tool, .deny(message: "no"), row.deny),
            (.question, Self.blue, row.answer),
        ] {
            var bench = DeskBench()
            _ = bench.ask(kind: kind)
            _ = bench.decide(verdict)
            #expect(bench.show(row.shown) == [expected, "forget"])
        }
    }

    @Test("a question that nobody answered from afar was answered, or denied, at the terminal")
    func openQuestion() {
        for (failed, expected) in [(false, "cancelled answeredLocally"), (true, "cancelled deniedLocally")] {
            var bench = DeskBench()
            _ = bench.ask(kind: .question)
            #expect(bench.show(.carriedOut(answers: nil, failed: failed)).first == expected)
        }
    }

    // MARK: Loss

    @Test("a hook that goes away leaves its question to what the agent shows, asked for until it comes")
    func lost() {
        var bench = DeskBench()
        _ = bench.ask()
        #expect(bench.hookGone() == ["check 4711"])
        #expect(bench.pass(.milliseconds(2_999)) == [])
        #expect(bench.pass(.milliseconds(1)) == ["judge"])
        #expect(bench.pass(.seconds(3)) == ["judge"])
        _ = bench.tell(.agentEnding(bench.shown, by: bench.now.monotonic + 8_000))
        #expect(bench.pass(.milliseconds(7_999)) == [])
        #expect(bench.pass(.milliseconds(1)) == ["judge"])
        var other = bench
        #expect(other.show(.dialogStays) == ["cancelled hookEnded", "forget"])
        #expect(bench.show(.deniedAtTerminal) == ["cancelled deniedLocally", "forget"])
    }

    @Test("a decision that comes while the hook is away is handed to the same hook, and to no other")
    func held() {
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.hookGone()
        #expect(bench.decide(.allow) == [])
        let first = bench.shown
        #expect(bench.ask(token: 2, run: "r2", attempt: 2) == ["remember", "show"], "another hook that asks the very same")
        #expect(bench.shown != first)
        #expect(bench.ask(token: 3, run: "r1", attempt: 2) == ["remember", "hook 3: allow"])
    }

    @Test("a hook that is back before its broken connection was noticed takes over")
    func takenOver() {
        var bench = DeskBench()
        _ = bench.ask()
        #expect(bench.ask(token: 2, attempt: 2) == ["hook 1: no decision", "reopened"])
        #expect(bench.hookGone(1) == [])
        #expect(bench.decide(.allow) == ["remember", "hook 2: allow"])
    }

    @Test("hooks that gave up on a daemon that was stopped were denied by nobody")
    func stopped() {
        var bench = DeskBench()
        _ = bench.ask()
        bench.advance(.seconds(60))
        #expect(bench.hookGone() == ["check 4711"])
        #expect(bench.pass(.seconds(1)) == ["cancelled hostRestarted", "forget"])
        #expect(bench.ask(token: 2, attempt: 2) == ["remember", "show"], "it is asked anew")
    }

    @Test("the end of the session, or of the agent, ends what it asked")
    func ended() {
        var bench = DeskBench()
        _ = bench.ask()
        var other = bench
        var third = bench
        #expect(
            bench.tell(.sessionEnded(DeskBench.session, agentGone: false))
                == ["cancelled sessionEnded", "forget", "hook 1: no decision"])
        #expect(other.tell(.sessionEnded(DeskBench.session, agentGone: true)).first == "cancelled agentGone")
        #expect(third.tell(.agentGone(DeskBench.process)).first == "cancelled agentGone")
        #expect(bench.ask(token: 2, attempt: 2) == ["hook 2: no decision"], "the same hook again is not asked about again")
    }

    @Test("without a terminal nobody waits long for a relay that is away")
    func headless() {
        var bench = DeskBench()
        var question = DeskBench.question()
        question.isAttended = false
        _ = bench.tell(.asked(question))
        _ = bench.ask(token: 2, run: "r2")
        _ = bench.tell(.linkChanged(isLive: false))
        #expect(bench.pass(.milliseconds(9_999)) == [])
        #expect(bench.pass(.milliseconds(1)) == ["cancelled relayUnreachable", "forget", "hook 1: no decision"])
        question.run = "r3"
        question.token = HookToken(rawValue: 3)
        #expect(bench.tell(.asked(question)) == ["hook 3: no decision"])
        #expect(bench.desk.approvals.map(\.run) == ["r2"], "somebody at a terminal can answer there")
    }

    @Test("what the disk did not take was not asked, and not handed over")
    func notRecorded() {
        var bench = DeskBench()
        _ = bench.ask()
        #expect(bench.tell(.notRecorded(bench.shown)) == ["forget", "hook 1: no decision"])
        _ = bench.ask(token: 2, run: "r2")
        _ = bench.decide(.allow)
        #expect(bench.tell(.notRecorded(bench.shown)) == ["stale notRecorded", "forget"])
    }

    @Test("beyond the limit nobody is asked")
    func limit() {
        var bench = DeskBench()
        for number in 1...256 { #expect(bench.ask(token: UInt64(number), run: "r\(number)").last == "show") }
        #expect(bench.ask(token: 300, run: "r300") == ["hook 300: no decision"])
        #expect(
            bench.ask(token: 301, run: "r1", attempt: 2) == ["hook 1: no decision", "reopened"],
            "a hook that comes back asks nothing more")
    }
}
