import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

@Suite("Codex: sessions that a spent budget holds")
struct CodexHoldTests {
    private static let all = Holds(everySession: true)

    /// Policies requested after the first `count`.
    private func policies(_ bench: CodexBench, after count: Int = 0) -> [String] {
        bench.asked.filter { $0.method == "thread/settings/update" }.dropFirst(count).map(\.params)
    }

    private func hold(_ bench: CodexBench) -> HoldReach? { bench.adapter.sessions[CodexBench.session]?.offer?.hold }

    private func setting(_ policy: String) -> String {
        #"{"threadId":"\#(CodexBench.thread)","approvalPolicy":"\#(policy)"}"#
    }

    private static func attached(_ policy: String = "on-request") -> CodexBench {
        .attached(more: #","approvalPolicy":"\#(policy)""#)
    }

    @Test("it is set to ask most, is held when Codex says so, and is set back afterwards", arguments: ["on-request", "never"])
    func held(policy: String) {
        var bench = Self.attached(policy)
        #expect(hold(bench) == .most && policies(bench).isEmpty)
        bench.tell(.held(Self.all))
        #expect(policies(bench) == [setting("untrusted")])
        #expect(hold(bench) == .unchanged, "that Codex accepted the call is no evidence")
        bench.isSet(policy: #""untrusted""#)
        #expect(hold(bench) == .most)
        bench.tell(.held(Holds()))
        #expect(policies(bench, after: 1) == [setting(policy)])
        bench.isSet(policy: #""\#(policy)""#)
        #expect(bench.adapter.sessions[CodexBench.session]?.settings.modes.last == policy, "it is the terminal's own choice")
        #expect(policies(bench).count == 2)
    }

    @Test("what asks most already is left alone, before and afterwards")
    func already() {
        var bench = Self.attached("untrusted")
        bench.tell(.held(Holds(sessions: [CodexBench.session])))
        #expect(hold(bench) == .most)
        bench.tell(.held(Holds()))
        #expect(policies(bench).isEmpty)
    }

    @Test("another session's hold changes nothing")
    func another() {
        var bench = Self.attached()
        bench.tell(.held(Holds(sessions: [SessionID("codex-other")!])))
        #expect(policies(bench).isEmpty && hold(bench) == .most)
    }

    @Test("a turn that runs goes on by the policy with which it began, and is said not to be held until it ends")
    func running() {
        var bench = Self.attached()
        bench.turnStarts("t1")
        bench.tell(.held(Self.all))
        bench.isSet(policy: #""untrusted""#)
        #expect(hold(bench) == .unchanged)
        bench.turnEnds("completed", "t1")
        #expect(hold(bench) == .most)
        bench.turnStarts("t2")
        #expect(hold(bench) == .most)
    }

    /// `isHeldAgain`: Codex has reported the answer to our hold before the turn.
    @Test(
        "a turn that begins by a freer policy while it is held is interrupted, and the person is told why",
        arguments: [false, true])
    func begunFreely(isHeldAgain: Bool) {
        var bench = Self.attached()
        bench.tell(.held(Self.all))
        bench.isSet(policy: #""untrusted""#)
        bench.turnStarts("t1")
        #expect(!bench.asked.contains { $0.method == "turn/interrupt" })
        bench.turnEnds("completed", "t1")
        // The terminal's own client sends the policy that it knows.
        bench.isSet(policy: #""on-request""#)
        if isHeldAgain { bench.isSet(policy: #""untrusted""#) }
        _ = bench.take()
        bench.turnStarts("t2")
        let halts = bench.asked.filter { $0.method == "turn/interrupt" }.map(\.params)
        #expect(halts == [#"{"threadId":"\#(CodexBench.thread)","turnId":"t2"}"#])
        #expect(bench.take().contains { $0.contains("a budget is spent") })
        bench.turnEnds("interrupted", "t2")
        bench.isSet(policy: #""untrusted""#)
        bench.turnStarts("t3")
        #expect(bench.asked.filter { $0.method == "turn/interrupt" }.count == 1)
    }

    @Test("a freer policy that is chosen at the terminal is held as well, and is what it is set back to")
    func chosenMeanwhile() {
        var bench = Self.attached()
        bench.tell(.held(Self.all))
        bench.isSet(policy: #""untrusted""#)
        bench.isSet(policy: #""never""#)
        #expect(hold(bench) == .unchanged && policies(bench, after: 1) == [setting("untrusted")])
        bench.isSet(policy: #""untrusted""#)
        bench.tell(.held(Holds()))
        #expect(policies(bench, after: 2) == [setting("never")])
    }

    @Test("a client can choose no freer policy meanwhile, and one that asks most stays")
    func chosenByClient() {
        var bench = Self.attached()
        bench.tell(.held(Self.all))
        bench.isSet(policy: #""untrusted""#)
        bench.steer(.mode("on-request"), "k1")
        #expect(bench.take().last?.hasPrefix("steering: k1 refused (a budget is spent") == true)
        bench.steer(.mode("untrusted"), "k2")
        bench.tell(.held(Holds()))
        #expect(policies(bench).count == 1, "a client wants it so")
    }

    @Test("a policy that is made of parts is not changed, and is said not to be held")
    func granular() {
        var bench = CodexBench.attached(more: #","approvalPolicy":{"granular":{"rules":true}}"#)
        bench.tell(.held(Self.all))
        #expect(policies(bench).isEmpty && hold(bench) == .unchanged)
    }

    @Test("a thread that rested is opened again to be held")
    func letGo() {
        var bench = Self.attached()
        bench.pass(.seconds(1_900))
        #expect(bench.adapter.threads[CodexBench.thread]?.isLetGo == true)
        bench.tell(.held(Self.all))
        #expect(policies(bench) == [setting("untrusted")])
    }

    @Test("what it was before is known after a restart of the daemon, also if the hold ended meanwhile")
    func restarted() {
        var bench = Self.attached()
        bench.tell(.held(Self.all))
        bench.isSet(policy: #""untrusted""#)
        bench.restart()
        #expect(hold(bench) == .unchanged, "nothing is known without a connection")
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread, more: #","approvalPolicy":"untrusted""#)
        bench.tell(.held(Holds()))
        bench.tell(.own(.connected))
        #expect(policies(bench, after: 1) == [setting("on-request")])
    }

    private static let review = #""turnId":"t1","item":{"type":"enteredReviewMode","id":"t1","review":"current changes"}"#

    /// The turn whose start Codex 0.163.0 reports in a review.
    private static let reviewer = #""turn":{"id":"r1","rootTurnId":"t1","status":"inProgress"}"#

    /// `isMarkedFirst`: the mark of the review comes before the start of its turn.
    @Test(
        "a review that begins while it is held is interrupted once, because Codex asks about nothing in it",
        arguments: [false, true])
    func reviewed(isMarkedFirst: Bool) {
        var bench = Self.attached()
        bench.tell(.held(Self.all))
        bench.isSet(policy: #""untrusted""#)
        _ = bench.take()
        if !isMarkedFirst { bench.turnStarts("t1") }
        bench.notify("item/started", Self.review)
        #expect(bench.asked.count { $0.method == "turn/interrupt" } == 1, "its turn may not be reported to start at all")
        if isMarkedFirst { bench.notify("turn/started", Self.reviewer) }
        bench.notify("item/completed", Self.review)
        let halts = bench.asked.filter { $0.method == "turn/interrupt" }.map(\.params)
        #expect(halts == [#"{"threadId":"\#(CodexBench.thread)","turnId":"t1"}"#])
        #expect(bench.take().count { $0.contains("a budget is spent, and this review runs by the policy never") } == 1)
        #expect(hold(bench) == .unchanged)
        bench.turnEnds("interrupted", "t1")
        #expect(hold(bench) == .most)
        bench.turnStarts("t2")
        #expect(bench.asked.count { $0.method == "turn/interrupt" } == 1)
    }

    @Test("a review that runs when it is held goes on, and is said not to be held until it ends")
    func reviewing() {
        var bench = Self.attached("untrusted")
        bench.notify("item/started", Self.review)
        bench.notify("turn/started", Self.reviewer)
        bench.tell(.held(Self.all))
        #expect(hold(bench) == .unchanged && !bench.asked.contains { $0.method == "turn/interrupt" })
        bench.turnEnds("completed", "t1")
        #expect(hold(bench) == .most)
    }

    @Test("a review in a thread of its own is interrupted as well, if it began while the thread was found")
    func reviewedElsewhere() {
        let other = "01a1fb6a-0000-7000-8000-000000000009"
        var bench = Self.attached()
        bench.tell(.held(Self.all))
        bench.resumable[other] = CodexBench.resumed(
            other, status: #"{"type":"active","activeFlags":[]}"#, more: #","approvalPolicy":"untrusted""#)
        bench.turns[other] =
            #"{"id":"t9","status":"inProgress","items":[{"type":"enteredReviewMode","id":"t9","review":"current changes"}]}"#
        bench.notify("thread/status/changed", #""status":{"type":"active","activeFlags":[]}"#, thread: other)
        let halts = bench.asked.filter { $0.method == "turn/interrupt" }.map(\.params)
        #expect(halts == [#"{"threadId":"\#(other)","turnId":"t9"}"#])
    }

    /// A bench whose thread's turn has left a command that runs on.
    private static func working() -> CodexBench {
        var bench = attached("untrusted")
        bench.turnStarts()
        bench.notify("item/started", CodexBench.command("inProgress"))
        bench.turnEnds()
        bench.resumable[CodexBench.thread] = CodexBench.resumed(
            CodexBench.thread, more: #","approvalPolicy":"untrusted""#)
        bench.turns[CodexBench.thread] = #"{"id":"t1","status":"completed","completedAt":1,"items":[]}"#
        return bench
    }

    @Test("a command that runs on is known after a restart of the daemon, until its end or until Codex lists it no more")
    func runsOnOverRestart() {
        for isListed in [true, false] {
            var bench = Self.working()
            bench.restart()
            bench.tell(.held(Self.all))
            bench.terminals = isListed ? ["call_1"] : []
            _ = bench.take()
            bench.tell(.own(.connected))
            let lines = bench.take()
            #expect(lines.first == "status.changed idle: in the background: a command")
            #expect(
                Array(lines.dropFirst())
                    == (isListed ? [] : ["tool.finished failed: Its end was not seen", "status.changed idle"]))
            #expect(hold(bench) == (isListed ? .unchanged : .most))
            bench.notify("item/completed", CodexBench.command("completed", exit: "0"))
            #expect(bench.take() == (isListed ? ["status.changed idle", "tool.finished ok"] : []))
            #expect(hold(bench) == .most)
            bench.restart()
            bench.terminals = []
            _ = bench.take()
            bench.tell(.own(.connected))
            #expect(bench.take() == ["status.changed idle"], "it does not come back")
        }
    }

    @Test("a command that began while nobody watched is in the background too, and held again once it has ended")
    func unseen() {
        var bench = CodexBench()
        bench.loaded = [CodexBench.thread]
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread, more: #","approvalPolicy":"untrusted""#)
        bench.terminals = ["call_1"]
        bench.tell(.held(Self.all))
        bench.tell(.own(.connected))
        #expect(bench.take().last == "status.changed idle: in the background: a command")
        #expect(hold(bench) == .unchanged)
        bench.notify("item/completed", CodexBench.command("completed", exit: "0"))
        #expect(bench.take() == ["status.changed idle", "tool.finished ok"] && hold(bench) == .most)
    }

    @Test("without Codex's list a hold is said not to be kept, and nothing stays in the background")
    func unlisted() {
        var bench = Self.working()
        bench.restart()
        bench.tell(.held(Self.all))
        bench.terminals = nil
        bench.tell(.own(.connected))
        #expect(bench.take().last == "status.changed idle")
        #expect(hold(bench) == .unchanged)
    }

    @Test("a thread that a client starts meanwhile asks most from its first turn on, whatever mode is wanted")
    func launched() {
        var bench = CodexBench()
        bench.tell(.own(.connected))
        bench.tell(.held(Self.all))
        bench.launch(Launch(.start, project: "proj", agent: "codex", mode: "on-request"))
        #expect(bench.asked.last { $0.method == "thread/start" }?.params.contains(#""approvalPolicy":"untrusted""#) == true)
    }
}
