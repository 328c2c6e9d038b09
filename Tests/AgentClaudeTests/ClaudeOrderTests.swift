import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: text comes before the tool that it announces")
struct ClaudeOrderTests {
    private static let common = #""session_id":"one","cwd":"/home/dev/proj""#
    private static let text = "message assistant: I will run it."

    private func bench() throws -> ClaudeBench {
        var bench = ClaudeBench(textWait: ClaudeLimits().textWait)
        try bench.call(#"{\#(Self.common),"hook_event_name":"UserPromptSubmit","prompt":"go"}"#)
        _ = bench.take()
        return bench
    }

    private func start(_ bench: inout ClaudeBench, _ call: String, agent: String? = nil) throws {
        let of = agent.map { #","agent_id":"\#($0)""# } ?? ""
        try bench.call(
            #"{\#(Self.common)\#(of),"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"\#(call)","tool_input":{"command":"\#(call)"}}"#,
            isHeard: true)
    }

    private func say(_ bench: inout ClaudeBench, _ text: String, isFinal: Bool = true, agent: String? = nil) throws {
        let of = agent.map { #","agent_id":"\#($0)""# } ?? ""
        try bench.call(
            #"{\#(Self.common)\#(of),"hook_event_name":"MessageDisplay","message_id":"m1","delta":"\#(text)","final":\#(isFinal)}"#
        )
    }

    private func events(_ bench: inout ClaudeBench) -> [String] {
        bench.take().filter { !$0.hasPrefix("hook") && !$0.hasPrefix("stream") }
    }

    @Test("whichever hook is first, and the tool is not kept waiting")
    func race() throws {
        var bench = try bench()
        try start(&bench, "c1")
        #expect(bench.take() == ["hook 1: no decision"])
        try start(&bench, "c2")
        bench.pass(.milliseconds(5))
        try say(&bench, "I will run it.")
        #expect(events(&bench) == [Self.text, "tool.started Running: c1", "tool.started Running: c2"])
        try start(&bench, "c3")
        #expect(events(&bench) == ["tool.started Running: c3"], "its text has come")
    }

    @Test("a text that is being written is waited for to its end")
    func streaming() throws {
        var bench = try bench()
        try say(&bench, "I will ", isFinal: false)
        try start(&bench, "c1")
        try say(&bench, "run it.")
        #expect(events(&bench) == [Self.text, "tool.started Running: c1"])
    }

    private func piece(_ bench: inout ClaudeBench, _ index: Int, _ text: String, isFinal: Bool = false) throws {
        try bench.call(
            #"{\#(Self.common),"hook_event_name":"MessageDisplay","message_id":"m1","index":\#(index),"delta":"\#(text)","final":\#(isFinal)}"#
        )
    }

    @Test("a message whose last piece overtook the others is whole, and before its tool")
    func pieces() throws {
        var bench = try bench()
        try piece(&bench, 2, "run it.", isFinal: true)
        try start(&bench, "c1")
        try piece(&bench, 1, "will ")
        try piece(&bench, 0, "I ")
        #expect(events(&bench) == [Self.text, "tool.started Running: c1"])
    }

    @Test("a piece that never comes is waited for a moment, and the rest is told")
    func missingPiece() throws {
        var bench = try bench()
        try piece(&bench, 1, "I will ")
        try piece(&bench, 3, "run it.", isFinal: true)
        bench.pass(ClaudeLimits().textWait)
        #expect(events(&bench) == [Self.text])
    }

    @Test("a tool without text is told after a moment, by its deadline and no later")
    func noText() throws {
        var bench = try bench()
        try start(&bench, "c1")
        bench.pass(ClaudeLimits().textWait - .milliseconds(1))
        #expect(events(&bench) == [])
        bench.pass(.milliseconds(1))
        #expect(events(&bench) == ["tool.started Running: c1"])
        try start(&bench, "c2")
        #expect(events(&bench) == ["tool.started Running: c2"], "nor do others of that message wait")
    }

    @Test("one whose time is over takes those with it that came later, which the next would pass")
    func noTextForMany() throws {
        var bench = try bench()
        try start(&bench, "c1")
        bench.pass(.milliseconds(20))
        try start(&bench, "c2")
        bench.pass(ClaudeLimits().textWait - .milliseconds(20))
        try start(&bench, "c3")
        #expect(events(&bench) == (1...3).map { "tool.started Running: c\($0)" })
    }

    @Test("what follows of it never comes before its start: a question, its end, the end of all")
    func overtaken() throws {
        var bench = try bench()
        try start(&bench, "c1")
        try bench.call(
            #"{\#(Self.common),"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"c1"}}"#)
        #expect(events(&bench) == ["tool.started Running: c1", "approval.requested Run: c1"])
        try start(&bench, "c2")
        try end(&bench, "c2")
        try bench.call(#"{\#(Self.common),"hook_event_name":"SessionEnd"}"#)
        let rest = events(&bench)
        #expect(rest.prefix(2) == ["tool.started Running: c2", "tool.finished ok"] && rest.last == "session.ended ")
    }

    private func end(_ bench: inout ClaudeBench, _ call: String, agent: String? = nil) throws {
        let of = agent.map { #","agent_id":"\#($0)""# } ?? ""
        try bench.call(
            #"{\#(Self.common)\#(of),"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"\#(call)","tool_input":{},"tool_response":{}}"#
        )
    }

    private func batchOver(_ bench: inout ClaudeBench, _ calls: String...) throws {
        let all = calls.map { #"{"tool_name":"Bash","tool_use_id":"\#($0)","tool_response":"out"}"# }.joined(separator: ",")
        try bench.call(#"{\#(Self.common),"hook_event_name":"PostToolBatch","tool_calls":[\#(all)]}"#)
    }

    @Test("the end of a quick tool that overtakes the text waits behind its start")
    func quick() throws {
        var bench = try bench()
        try start(&bench, "c1")
        try start(&bench, "c2")
        try end(&bench, "c1")
        try end(&bench, "c2")
        try batchOver(&bench, "c1", "c2")
        #expect(events(&bench) == [])
        try say(&bench, "I will run it.")
        let both = ["tool.started Running: c1", "tool.started Running: c2", "tool.finished ok", "tool.finished ok"]
        #expect(events(&bench) == [Self.text] + both)
        try start(&bench, "c3")
        #expect(events(&bench) == [], "its own text is still to come")
        bench.pass(ClaudeLimits().textWait)
        #expect(events(&bench) == ["tool.started Running: c3"])
    }

    @Test("tools of one message that run one after the other are all announced by its text, however late it is")
    func oneAfterTheOther() throws {
        for isLate in [false, true] {
            var bench = try bench()
            if !isLate { try say(&bench, "I will run it.") }
            try start(&bench, "c1")
            try end(&bench, "c1")
            if isLate { try say(&bench, "I will run it.") }
            #expect(events(&bench) == [Self.text, "tool.started Running: c1", "tool.finished ok"])
            try start(&bench, "c2")
            #expect(events(&bench) == ["tool.started Running: c2"], "late: \(isLate)")
            try end(&bench, "c2")
            try batchOver(&bench, "c1", "c2")
            _ = bench.take()
            try start(&bench, "c3")
            #expect(events(&bench) == [], "its own text is still to come")
        }
    }

    @Test("the text of a message whose tools are over does not announce those of the next")
    func lateText() throws {
        var bench = try bench()
        try start(&bench, "c1")
        try end(&bench, "c1")
        try batchOver(&bench, "c1")
        try start(&bench, "c2")
        try say(&bench, "I will run it.")
        #expect(events(&bench) == [Self.text, "tool.started Running: c1", "tool.finished ok"])
        try say(&bench, "I will run it.")
        #expect(events(&bench) == [Self.text, "tool.started Running: c2"])
    }

    @Test("an end without text is told with its start, after a moment")
    func endWithoutText() throws {
        var bench = try bench()
        try start(&bench, "c1")
        bench.pass(.milliseconds(20))
        try end(&bench, "c1")
        bench.pass(ClaudeLimits().textWait - .milliseconds(21))
        #expect(events(&bench) == [] && bench.adapter.nextDeadline != nil)
        bench.pass(.milliseconds(1))
        #expect(events(&bench) == ["tool.started Running: c1", "tool.finished ok"])
        try end(&bench, "c1")
        #expect(events(&bench) == [], "once")
    }

    @Test("another agent's text announces nothing")
    func agents() throws {
        var bench = try bench()
        try start(&bench, "c1")
        try start(&bench, "c2", agent: "sub")
        try say(&bench, "I will run it.", agent: "sub")
        #expect(events(&bench) == [Self.text, "tool.started Running: c2"])
        bench.pass(.seconds(1))
        #expect(events(&bench) == ["tool.started Running: c1"])
    }

    @Test("a daemon that is killed meanwhile tells it in its next life, once")
    func killed() throws {
        var bench = try bench()
        try start(&bench, "c1")
        try end(&bench, "c1")
        var next = ClaudeBench()
        next.tell(.daemonStarted(notes: bench.notes))
        #expect(events(&next) == ["tool.started Running: c1", "tool.finished ok"])
        var third = ClaudeBench()
        third.tell(.daemonStarted(notes: bench.notes.merging(next.notes) { $1 }))
        #expect(events(&third) == [])
    }

    @Test("no more wait than one message has")
    func bounded() throws {
        var bench = try bench()
        for number in 0...ClaudeLimits().deferredMax { try start(&bench, "c\(number)") }
        #expect(events(&bench).count == ClaudeLimits().deferredMax)
    }
}
