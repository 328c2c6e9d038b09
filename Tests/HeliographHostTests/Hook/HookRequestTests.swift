import Testing

@testable import AgentClaude
@testable import HeliographHook
@testable import HeliographHost

@Suite("Hook request")
struct HookRequestTests {
    private static func claude() throws -> HookPart { try #require(AgentCall.part(of: "claude")) }

    @Test("A part of the path that is no plain word is refused", arguments: ["", "a b", "a/b", "../x", "a\r\nX: y", "é"])
    func paths(part: String) {
        #expect(HookRequest(path: ["hook", "claude", part], body: []) == nil)
    }

    @Test("An environment variable that could forge a header is not sent")
    func headers() throws {
        let caller = HookCaller(of: try Self.claude()) { name in
            name == "CLAUDE_PID" ? "1\r\nX-Evil: 1" : name == "CLAUDE_CODE_ENTRYPOINT" ? "sdk-cli" : "1"
        }
        let request = try #require(HookRequest(path: ["hook", "claude", "Stop"], body: [], caller: caller))
        let text = String(decoding: request.bytes(attempt: 3), as: UTF8.self)
        #expect(!text.contains("Evil"))
        #expect(text.contains("\r\nX-Agent-Entrypoint: sdk-cli\r\nX-Agent-Attended: 1\r\nX-Attempt: 3\r\n"))
    }

    @Test("Nothing but the three facts is asked of the environment")
    func environment() throws {
        var asked: Set<String> = []
        _ = HookCaller(of: try Self.claude()) { name in
            asked.insert(name)
            return nil
        }
        #expect(asked == ["CLAUDE_PID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED"])
    }

    @Test("A session that a program of ours runs is told apart from one that its agent starts in turn")
    func attended() throws {
        let hooks = try Self.claude()
        func attended(_ variables: [String: String]) -> (String?, Bool) {
            var caller = HookCaller(of: hooks) { variables[$0] }
            caller.lookForRun(of: hooks) { variables[$0] }
            return (caller.attended, caller.isAttended)
        }
        #expect(attended(["HELIOGRAPH_RUN": "s1", "CLAUDE_CODE_SESSION_ID": "s1"]) == ("run", true))
        let inner = ["HELIOGRAPH_RUN": "s1", "CLAUDE_CODE_SESSION_ID": "s2", "CLAUDE_CODE_SESSION_ATTENDED": "0"]
        #expect(attended(inner) == ("0", false))
        #expect(attended(["CLAUDE_CODE_SESSION_ATTENDED": "1"]) == ("1", true))
        let screen = ["HELIOGRAPH_TERMINAL": "/run/t.sock", "CLAUDE_CODE_SESSION_ATTENDED": "1"]
        #expect(attended(screen) == ("run", true), "a terminal of ours says itself what can be done")
        #expect(attended([:]) == (nil, false), "one that says nothing may be waiting for us alone")
    }

    @Test("Without a daemon a held call is refused if the agent says, or its start, that nobody is at its terminal")
    func unheard() throws {
        let hooks = try Self.claude()
        func answer(attended: String?, entrypoint: String? = nil) -> [UInt8] {
            hooks.ask(HookCaller(entrypoint: entrypoint, attended: attended))
        }
        for attended in ["1", "run"] { #expect(answer(attended: attended, entrypoint: "sdk-cli") == ClaudeAnswer.askUnheard) }
        #expect(answer(attended: "0", entrypoint: "cli") == ClaudeAnswer.refuseUnheard)
        for entrypoint in [nil, "cli"] { #expect(answer(attended: nil, entrypoint: entrypoint) == ClaudeAnswer.askUnheard) }
        for entrypoint in ["sdk-cli", "sdk-py", ""] {
            #expect(answer(attended: nil, entrypoint: entrypoint) == ClaudeAnswer.refuseUnheard)
        }
    }

    @Test("A hook says where it keeps the agent's dialog closed")
    func dialogWaits() throws {
        for waits in [false, true] {
            var caller = HookCaller(attended: "1")
            caller.dialogWaits = waits
            let request = try #require(HookRequest(path: ["hook"], body: [], caller: caller))
            #expect(String(decoding: request.bytes(), as: UTF8.self).contains("\r\nX-Dialog-Waits: 1\r\n") == waits)
        }
    }

    @Test("A run has a name of its own, and says it at every attempt")
    func run() throws {
        let call = try #require(HookRequest.randomCall())
        #expect(call != HookRequest.randomCall() && LocalSocket.run(call) == call)
        let request = try #require(HookRequest(path: ["hook"], body: [], call: call))
        for attempt in 1...3 {
            #expect(String(decoding: request.bytes(attempt: attempt), as: UTF8.self).contains("\r\nX-Call: \(call)\r\n"))
        }
        for other in ["", "r1", call + "0", call.uppercased() == call ? "x" : call.uppercased()] {
            #expect(LocalSocket.run(other) == nil)
        }
    }

    @Test("Only a permission request waits for a person")
    func awaited() throws {
        let hooks = try Self.claude()
        #expect(hooks.awaited == "PermissionRequest" && hooks.beforeTool == "PreToolUse")
        let hooked = RegisteredAgents.all.filter { AgentCall.part(of: $0.name) != nil }
        #expect(hooked.map { $0.name } == ["claude"], "whoever else has hooks is looked at here, too")
    }
}
