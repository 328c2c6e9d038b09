import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: sessions that are held")
struct ClaudeHoldTests {
    private static let session = SessionID("claude-s1")!

    private func call(_ tool: String = "Bash", mode: String = "default", event: String = "PreToolUse") -> String {
        #"{"session_id":"s1","hook_event_name":"\#(event)","tool_name":"\#(tool)","tool_use_id":"t1","permission_mode":"\#(mode)","tool_input":{"command":"ls"}}"#
    }

    private func answer(_ bench: inout ClaudeBench, _ payload: String) throws -> String? {
        _ = bench.take()
        try bench.call(payload, isHeard: true)
        return bench.take().last { $0.hasPrefix("hook") }
    }

    @Test("a held session's tools are asked for, and no longer when it is let go")
    func held() throws {
        var bench = ClaudeBench()
        #expect(try answer(&bench, call()) == "hook 1: no decision")
        bench.tell(.held(Holds(sessions: [Self.session])))
        #expect(try answer(&bench, call()) == "hook 2: ask")
        #expect(try answer(&bench, call("Read")) == "hook 3: ask")
        bench.tell(.held(Holds(sessions: [SessionID("claude-s2")!])))
        #expect(try answer(&bench, call()) == "hook 4: no decision")
        bench.tell(.held(Holds(everySession: true)))
        #expect(try answer(&bench, call()) == "hook 5: ask")
        bench.tell(.held(Holds()))
        #expect(try answer(&bench, call()) == "hook 6: no decision")
    }

    @Test(
        "what asks a person by itself is not asked for twice, and other hooks have no say",
        arguments: ["AskUserQuestion", "ExitPlanMode"])
    func asking(_ tool: String) throws {
        var bench = ClaudeBench()
        bench.tell(.held(Holds(everySession: true)))
        #expect(try answer(&bench, call(tool)) == "hook 1: no decision")
        #expect(try answer(&bench, call(event: "PostToolUse")) == "hook 2: no decision")
    }

    @Test("a tool that is reported as before: its start is an event, held or not")
    func reported() throws {
        var bench = ClaudeBench()
        bench.tell(.held(Holds(everySession: true)))
        try bench.call(call(), isHeard: true)
        #expect(bench.take().contains { $0.hasPrefix("tool.started") })
    }

    @Test("a call that names no session could be of any: it is asked for while one is held")
    func nameless() throws {
        var bench = ClaudeBench()
        let payload = #"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#
        #expect(try answer(&bench, payload) == "hook 1: no decision")
        bench.tell(.held(Holds(sessions: [Self.session])))
        #expect(try answer(&bench, payload) == "hook 2: ask")
    }

    @Test("in a mode that asks nobody a held session asks all the same")
    func bypass() throws {
        var bench = ClaudeBench()
        let request = call(mode: "bypassPermissions", event: "PermissionRequest")
        try bench.call(request)
        #expect(bench.take().last == "hook 1: no decision")
        bench.tell(.held(Holds(sessions: [Self.session])))
        try bench.call(request)
        #expect(bench.take().last?.hasPrefix("approval.requested") == true)
    }

    @Test("what the hook prints is what Claude Code takes for a question")
    func output() throws {
        let value = try JSONDocument(parsing: ClaudeAnswer.ask).root.required("hookSpecificOutput")
        #expect(try value.string("hookEventName") == "PreToolUse")
        #expect(try value.string("permissionDecision") == "ask")
    }
}
