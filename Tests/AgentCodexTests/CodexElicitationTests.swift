import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

@Suite("Codex: what servers of tools ask")
struct CodexElicitationTests {
    private static let form = #"{"type":"object","properties":{"sure":{"type":"boolean","title":"Sure"}},"required":["sure"]}"#

    private static func asked(_ more: String = #""mode":"form","requestedSchema":\#(form)"#) -> CodexBench {
        var bench = CodexBench.attached()
        bench.turnStarts()
        _ = bench.take()
        bench.say(
            #"{"method":"mcpServer/elicitation/request","id":0,"params":{"threadId":"\#(CodexBench.thread)","turnId":"t1","#
                + #""serverName":"deploy","message":"Ship to production?",\#(more)}}"#)
        return bench
    }

    @Test("a form is a card with its fields; the answer goes as the terminal's would")
    func answered() throws {
        var bench = Self.asked()
        #expect(bench.take() == ["approval.requested Ship to production?"])
        let head = try #require(bench.requests.last).head
        #expect(head.kind == .question && head.questions.map(\.choices) == [["Yes", "No"]])
        try bench.decide(.answer([Answer(question: "q0", choices: ["Yes"])]))
        #expect(
            bench.take() == ["approval.delivered", #"answer {"id":0,"result":{"action":"accept","content":{"sure":true}}}"#])
        bench.resolved()
        #expect(bench.take() == ["approval.applied answered"])
    }

    @Test("numbers that no double holds are shown and sent as they were written")
    func exactNumbers() throws {
        let field = #"{"type":"integer","title":"Id","minimum":9007199254740993}"#
        var bench = Self.asked(
            #""mode":"form","requestedSchema":{"type":"object","properties":{"n":\#(field)},"required":["n"]}"#)
        _ = bench.take()
        let text = try bench.body(.approvalRequested).array("questions").first?.string("text")
        #expect(text == "Ship to production? · Id (a whole number, 9007199254740993 or more)")
        try bench.decide(.answer([Answer(question: "q0", choices: [], text: "12345678901234567891")]))
        #expect(bench.take().last == #"answer {"id":0,"result":{"action":"accept","content":{"n":12345678901234567891}}}"#)
    }

    @Test("declined it has no content, and the turn goes on")
    func declined() throws {
        var bench = Self.asked()
        _ = bench.take()
        try bench.decide(.deny(message: "no"))
        #expect(bench.take() == ["approval.delivered", #"answer {"id":0,"result":{"action":"decline","content":null}}"#])
        bench.resolved()
        #expect(bench.take() == ["approval.applied denied"])
    }

    @Test("answered at the terminal first it is withdrawn")
    func atTheTerminal() {
        var bench = Self.asked()
        _ = bench.take()
        bench.resolved()
        #expect(bench.take() == ["approval.cancelled answeredLocally"])
    }

    @Test(
        "what is not known whole is the terminal's",
        arguments: [
            #""mode":"url","url":"https://example.com","elicitationId":"e""#,
            #""mode":"form","_meta":{"codex_approval_kind":"mcp_tool_call"},"requestedSchema":{"type":"object","properties":{}}"#,
            #""mode":"openai/form","requestedSchema":\#(form)"#,
            #""mode":"form","requestedSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}"#,
        ])
    func unknown(_ more: String) {
        var bench = Self.asked(more)
        #expect(bench.take() == ["status.changed waitingAnswer: waits at the terminal"])
        #expect(bench.answers.isEmpty)
    }
}
