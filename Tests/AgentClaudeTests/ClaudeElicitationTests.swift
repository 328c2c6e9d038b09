import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("what servers of tools ask")
struct ClaudeElicitationTests {
    private static let common = #""session_id":"5b1d","cwd":"/home/dev/proj","prompt_id":"p1""#
    private static let form = #"{"type":"object","properties":{"sure":{"type":"boolean","title":"Sure"}},"required":["sure"]}"#
    private static let asked = "approval.requested Ship to production?"

    private func payload(_ event: String, _ more: String) -> String {
        #"{\#(Self.common),"hook_event_name":"\#(event)",\#(more)}"#
    }
    private func call(_ event: String, _ id: String = "t1") -> String {
        payload(event, #""tool_name":"mcp__my_deploy__ship","tool_input":{},"tool_use_id":"\#(id)","tool_response":"done""#)
    }
    private func ask(_ more: String = #""mode":"form","requested_schema":\#(form)"#) -> String {
        payload("Elicitation", #""mcp_server_name":"my deploy","message":"Ship to production?",\#(more)"#)
    }
    private func result(_ more: String) -> String { payload("ElicitationResult", #""mcp_server_name":"my deploy",\#(more)"#) }

    /// A bench after an elicitation in the middle of a call.
    private func bench(isAttended: Bool = true) throws -> ClaudeBench {
        var bench = ClaudeBench()
        try bench.call(payload("SessionStart", #""source":"startup""#))
        try bench.call(payload("UserPromptSubmit", #""prompt":"ship it""#))
        try bench.call(call("PreToolUse"))
        try bench.call(ask(), isAttended: isAttended)
        #expect(bench.take().last == Self.asked)
        return bench
    }

    @Test("it is answered from afar, and the end of the call shows that the server went on with that")
    func answered() throws {
        var bench = try bench()
        let head = try #require(bench.requests.last?.head)
        #expect(head.kind == .question && head.call == "t1")
        #expect(
            try bench.body(.approvalRequested).array("questions").map { try $0.string("text") } == [
                "Ship to production? · Sure"
            ])
        try bench.decide(.answer([Answer(question: "q0", choices: ["Yes"])]))
        #expect(bench.take() == ["approval.delivered", #"hook 1: elicitation {"action":"accept","content":{"sure":true}}"#])
        try bench.call(call("PostToolUse"))
        #expect(bench.take() == ["approval.applied answered", "tool.finished ok: done"])
    }

    @Test("declined, it is declined, and shown as denied")
    func declined() throws {
        var bench = try bench()
        try bench.decide(.deny(message: "not today"))
        #expect(bench.take() == ["approval.delivered", #"hook 1: elicitation {"action":"decline"}"#])
        try bench.call(call("PostToolUse"))
        #expect(bench.take().first == "approval.applied denied")
    }

    @Test("an allow is none: it has to be answered, with what fits")
    func misfit() throws {
        for verdict in [Decision.Verdict.allow, .answer([Answer(question: "q0", choices: [], text: "perhaps")])] {
            var bench = try bench()
            try bench.decide(verdict)
            #expect(bench.take() == ["approval.stale badAnswer", "hook 1: no decision"])
        }
    }

    @Test("a key at the terminal ends the hook: its dialog opens, and what is answered there is told")
    func answeredAtTheTerminal() throws {
        var bench = try bench()
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        bench.pass(.seconds(3))
        #expect(bench.take() == ["approval.cancelled hookEnded"])
        try bench.call(result(#""action":"accept","content":{"sure":true}"#))
        #expect(bench.take() == [])
    }

    @Test("where the hook's answer was not taken, the dialog's was")
    func dialogAfterAll() throws {
        var bench = try bench()
        try bench.decide(.answer([Answer(question: "q0", choices: ["Yes"])]))
        _ = bench.take()
        try bench.call(result(#""action":"accept","content":{"sure":false}"#))
        #expect(bench.take() == ["approval.stale answeredLocally"])
    }

    @Test("behind `heliograph run` what the server was told shows whose answer it was")
    func run() throws {
        for (said, outcome) in [
            (#""action":"accept","content":{"sure":true}"#, "approval.applied answered"),
            (#""action":"accept","content":{"sure":false}"#, "approval.stale answeredLocally"),
            (#""action":"decline""#, "approval.stale deniedLocally"),
        ] {
            var bench = try bench()
            try bench.decide(.answer([Answer(question: "q0", choices: ["Yes"])]))
            _ = bench.take()
            try bench.call(result(said))
            #expect(bench.take() == [outcome])
        }
    }

    @Test(
        "nothing is held at a terminal that people afar could not answer",
        arguments: [
            #""mode":"url","url":"https://example.com""#, #""mode":"form""#,
            #""mode":"form","requested_schema":{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}"#,
        ])
    func unknown(_ more: String) throws {
        var bench = ClaudeBench()
        try bench.call(payload("SessionStart", #""source":"startup""#))
        _ = bench.take()
        try bench.call(ask(more))
        #expect(bench.take() == ["hook 1: no decision"])
    }

    @Test("a relay that is away does not keep the dialog closed")
    func relayAway() throws {
        var bench = try bench()
        bench.tell(.linkChanged(isLive: false))
        bench.pass(.seconds(11))
        #expect(bench.take() == ["approval.cancelled relayUnreachable", "hook 1: no decision"])
    }

    @Test("of two calls of a server that are open it is not known which asks; the turn's end tells of it")
    func twoCalls() throws {
        var bench = ClaudeBench()
        try bench.call(payload("SessionStart", #""source":"startup""#))
        try bench.call(call("PreToolUse", "t1"))
        try bench.call(call("PreToolUse", "t2"))
        try bench.call(ask())
        #expect(bench.requests.last?.head.call == nil)
        try bench.decide(.answer([Answer(question: "q0", choices: ["Yes"])]))
        _ = bench.take()
        try bench.call(call("PostToolUse", "t2"))
        #expect(bench.take() == ["tool.finished ok: done"])
        try bench.call(payload("Stop", #""stop_hook_active":false"#))
        #expect(bench.take().first == "approval.stale unconfirmed")
    }
}
