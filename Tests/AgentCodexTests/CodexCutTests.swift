import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

/// Messages of Codex 0.163.0.
@Suite("Codex: what ends otherwise than it began")
struct CodexCutTests {
    private static let command =
        #"{"type":"commandExecution","id":"c1","command":"make","cwd":"/home/dev/proj","status":"inProgress"}"#
    private static let done =
        #"{"type":"commandExecution","id":"c1","command":"make","cwd":"/home/dev/proj","status":"completed","exitCode":0,"aggregatedOutput":"late\n"}"#

    private static let request =
        #"{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"\#(CodexBench.thread)","turnId":"t1","#
        + #""itemId":"c1","command":"make","cwd":"/home/dev/proj","availableDecisions":["accept","cancel"]}}"#

    private func working() -> CodexBench {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.notify("item/started", #""turnId":"t1","item":\#(Self.command)"#)
        _ = bench.take()
        return bench
    }

    private func ends(_ bench: inout CodexBench) {
        bench.notify("item/completed", #""turnId":"t1","item":\#(Self.done)"#)
    }

    @Test("a command outlives the turn that was interrupted, and has its end when it ends")
    func interrupted() {
        var bench = working()
        bench.turnEnds("interrupted")
        #expect(bench.take() == ["status.changed idle: interrupted"])
        ends(&bench)
        #expect(bench.take() == ["tool.finished ok: late"])
        ends(&bench)
        #expect(bench.take() == [])
    }

    @Test("also if other turns come and go before")
    func later() {
        var bench = working()
        bench.turnEnds("interrupted")
        bench.turnStarts("t2")
        bench.turnEnds("completed", "t2")
        #expect(!bench.take().contains { $0.hasPrefix("tool") })
        ends(&bench)
        #expect(bench.take() == ["status.changed idle", "tool.finished ok: late"])
    }

    @Test("what keeps a turn from its model is shown until the model is reached")
    func retries() {
        var bench = CodexBench.attached()
        bench.turnStarts()
        _ = bench.take()
        bench.notify("error", #""turnId":"t1","willRetry":false,"error":{"message":"gone"}"#)
        #expect(bench.take() == [])
        bench.notify("error", #""turnId":"t1","willRetry":true,"error":{"message":"Reconnecting... 2/5"}"#)
        #expect(bench.take() == ["status.changed running: Reconnecting... 2/5"])
        bench.notify("item/started", #""turnId":"t1","item":\#(Self.command)"#)
        #expect(bench.take().first == "status.changed running")
    }

    @Test("a command runs on after its turn: what was allowed ran, and it is said to run")
    func runsOn() throws {
        var bench = working()
        bench.say(Self.request)
        try bench.decide(.allow)
        _ = bench.take()
        bench.turnEnds("completed")
        #expect(bench.take() == ["approval.applied ran", "status.changed idle: in the background: a command"])
        bench.tell(.held(Holds(everySession: true)))
        bench.isSet(policy: #""untrusted""#)
        #expect(
            bench.adapter.sessions[CodexBench.session]?.offer?.hold == .unchanged,
            "it may be a shell to which the agent writes")
        ends(&bench)
        #expect(bench.take() == ["status.changed idle", "tool.finished ok: late"])
    }

    @Test("one that nobody had allowed never ran")
    func unallowed() {
        var bench = working()
        bench.say(Self.request)
        #expect(bench.take() == ["approval.requested Run: make"])
        bench.turnEnds("interrupted")
        #expect(bench.take().contains("tool.finished failed: Interrupted"))
    }

    @Test("what was ended with its turn is not begun again by a late word")
    func late() {
        var bench = working()
        bench.say(Self.request)
        bench.turnEnds("completed")
        #expect(bench.take().contains("tool.finished failed: Not run"))
        ends(&bench)
        #expect(bench.take() == [])
    }

    @Test("an answer that a prompt in its turn cuts off has an end that says so, once")
    func steered() throws {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.notify("item/agentMessage/delta", #""turnId":"t1","itemId":"m1","delta":"It is so""#)
        _ = bench.take()
        let prompt = #""turnId":"t1","item":{"type":"userMessage","id":"u2","content":[{"type":"text","text":"No."}]}"#
        bench.notify("item/started", prompt)
        bench.notify("item/completed", prompt)
        #expect(bench.take() == ["message assistant: It is so", "message user: No."])
        bench.notify("item/completed", #""turnId":"t1","item":{"type":"agentMessage","id":"m1","text":"It is so."}"#)
        bench.notify("item/completed", #""turnId":"t1","item":{"type":"agentMessage","id":"m2","text":"Then not."}"#)
        #expect(bench.take() == ["message assistant: Then not."])
        let said = bench.events.compactMap { try? JSONDocument(parsing: $0.event.bytes).root.optional("body")?.text("text") }
        #expect(said.contains { $0.hasSuffix("forgotten this answer⟩") })
    }

    @Test("output that Codex shows no more of says so")
    func output() {
        var bench = working()
        func shown(_ bench: CodexBench) -> String {
            bench.effects.compactMap { if case .show(let output) = $0 { output.text } else { nil } }.last ?? ""
        }
        for piece in 1...CodexLimits().outputPieces {
            bench.notify("item/commandExecution/outputDelta", #""turnId":"t1","itemId":"c1","delta":"\#(piece)\n""#)
        }
        bench.pass(.seconds(60))
        #expect(shown(bench).hasSuffix("10000\n\n⟨Codex shows no more of its output until it ends⟩\n"))
    }
}
