import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: whatever a hook is given")
struct ClaudePayloadTests {
    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static func payload(_ event: String, tool: String = "Bash", input: String) -> String {
        #"{"session_id":"s1","hook_event_name":"\#(event)","cwd":"/w","tool_name":"\#(tool)","tool_use_id":"t1","tool_input":\#(input)}"#
    }

    private static func asked(_ input: String, tool: String = "Bash") throws -> ClaudeBench {
        var bench = ClaudeBench()
        let call = Array(payload("PermissionRequest", tool: tool, input: input).utf8)
        bench.call(bytes: call, event: "PermissionRequest")
        return bench
    }

    @Test("a deep input brings a card that says it is cut, and can be denied only", arguments: [28, 29, 36, 200, 100_000])
    func deep(_ depth: Int) throws {
        var bench = try Self.asked(#"{"command":"ls","x":\#(Self.nested(depth))}"#)
        let request = try #require(bench.requests.last)
        #expect(request.head.isCut == true)
        #expect(try bench.body(.approvalRequested).required("input").string("command") == "ls")
        try bench.decide(.allow)
        #expect(bench.take().suffix(2) == ["approval.stale notWhole", "hook 1: no decision"])
    }

    @Test("as deep as an event may be, it is whole")
    func deepest() throws {
        let bench = try Self.asked(#"{"command":"ls","x":\#(Self.nested(27))}"#)
        #expect(try #require(bench.requests.last).head.isCut == false)
    }

    @Test(
        "what is not strict JSON brings a card that can be denied only",
        arguments: [
            #"{"command":"echo \ud83d"}"#, #"{"command":"ls","command":"rm"}"#, "{\"command\":\"a\nb\"}", #"{"command":"ls","#,
            #"{"command":01}"#,
        ])
    func notStrict(_ input: String) throws {
        let bench = try Self.asked(input)
        #expect(try #require(bench.requests.last).head.isCut == true)
    }

    @Test("a key that stands twice keeps both values")
    func twice() throws {
        let root = JSONRepair.document(Array(#"{"a":1,"a":2,"\u0061":3}"#.utf8)).root
        #expect(String(decoding: root.bytes, as: UTF8.self) == #"{"a":1,"a⟨2⟩":2,"a⟨3⟩":3}"#)
    }

    @Test("half an emoji and bytes that are not UTF-8 are replaced, the rest stands")
    func surrogates() throws {
        var bytes = Array(#"{"a":"x\ud83dy\ude00z\ud83d\ude00","#.utf8)
        bytes += Array("\"b\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
        let root = JSONRepair.document(bytes).root
        #expect(try root.string("a") == "x\u{FFFD}y\u{FFFD}z😀")
        #expect(try root.string("b") == "\u{FFFD}(")
    }

    @Test("a question whose texts are too long for an event brings a card all the same")
    func longQuestion() throws {
        let header = String(repeating: #"é\u007f"#, count: 30_000)
        let bench = try Self.asked(
            #"{"questions":[{"question":"Q?","header":"\#(header)","options":[{"label":"A"}]}]}"#, tool: "AskUserQuestion")
        #expect(try #require(bench.requests.last).head.isCut == true)
    }

    @Test("what cannot be read at all is told to the session of its process")
    func unreadable() throws {
        var bench = try Self.asked(#"{"command":"ls"}"#)
        _ = bench.take()
        bench.call(bytes: Array("nonsense".utf8), event: "PostToolUse")
        #expect(bench.take() == ["error What Claude Code said at PostToolUse could not be read"])
    }

    @Test(
        "a plan is allowed with an input, without which Claude Code takes no notice, and with a mode: where none is chosen, one that asks",
        arguments: [
            (Decision.Verdict.allow, "default"), (.allowIn(mode: "default"), "default"),
            (.allowIn(mode: "acceptEdits"), "acceptEdits"),
        ])
    func plan(_ verdict: Decision.Verdict, _ mode: String) throws {
        var bench = try Self.asked("{}", tool: "ExitPlanMode")
        #expect(bench.requests.last?.head.modes == ["default", "acceptEdits"])
        _ = bench.take()
        try bench.decide(verdict)
        let update = #"[{"type":"setMode","mode":"\#(mode)","destination":"session"}]"#
        #expect(
            bench.take() == [
                "approval.delivered", #"hook 1: {"behavior":"allow","updatedInput":{},"updatedPermissions":\#(update)}"#,
            ])
    }

    @Test(
        "a mode that was not offered reaches no agent",
        arguments: [("ExitPlanMode", "bypassPermissions"), ("Bash", "acceptEdits")])
    func foreignMode(_ tool: String, _ mode: String) throws {
        var bench = try Self.asked("{}", tool: tool)
        _ = bench.take()
        try bench.decide(.allowIn(mode: mode))
        #expect(bench.take().prefix(2) == ["approval.stale badAnswer", "hook 1: no decision"])
    }

    @Test(
        "options that look alike once their secrets are hidden are shown apart, and each means itself", arguments: [nil, [1]])
    func alike(_ indexes: [Int64]?) throws {
        let (live, test) = ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_9876543210abcdefghijABCDEFGHIJ012345")
        var bench = try Self.asked(
            #"{"questions":[{"question":"Which key?","options":[{"label":"\#(live)"},{"label":"\#(test)"},{"label":"none"}]}]}"#,
            tool: "AskUserQuestion")
        let choices = try bench.body(.approvalRequested).array("questions")[0].array("choices").map { try $0.string("label") }
        #expect(choices == ["⟨redacted⟩ (1)", "⟨redacted⟩ (2)", "none"])
        var other = bench
        try other.decide(.answer([Answer(question: "q0", choices: [choices[1]], indexes: [0])]))
        #expect(other.take().contains("approval.stale badAnswer"), "what stands there is another")
        try bench.decide(.answer([Answer(question: "q0", choices: [choices[1]], indexes: indexes)]))
        let answer = try #require(bench.take().last)
        #expect(answer.contains(#""answers":{"Which key?":"\#(test)"}"#) && answer.hasPrefix("hook 1:"))
    }

    @Test(
        "a subagent's card says what it was started for, whichever hook is first; compacting is no other start of the session",
        arguments: [
            ["call", "start", "ask"], ["start", "call", "ask"], ["call", "goes on", "start", "ask"], ["call", "ask", "start"],
        ])
    func names(order: [String]) throws {
        var bench = ClaudeBench()
        let common = #""session_id":"s1","cwd":"/w""#
        let call =
            #""tool_name":"Agent","tool_use_id":"t1","tool_input":{"description":"look for bugs","subagent_type":"general-purpose"}"#
        let agent = #""agent_id":"a1","agent_type":"general-purpose""#
        let hooks = [
            "call": #"{\#(common),"hook_event_name":"PreToolUse",\#(call)}"#,
            "goes on":
                #"{\#(common),"hook_event_name":"PostToolUse",\#(call),"tool_response":{"agentId":"a1","description":"look for bugs"}}"#,
            "start": #"{\#(common),"hook_event_name":"SubagentStart",\#(agent)}"#,
            "ask":
                #"{\#(common),"hook_event_name":"PermissionRequest",\#(agent),"tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        ]
        for name in order { try bench.call(#require(hooks[name])) }
        #expect(bench.requests.last?.head.agentName == "look for bugs")
        // A start that arrived before its call cannot name it.
        #expect(try bench.head(.subagentStarted).optionalString("call") == (order[0] == "start" ? nil : "t1"))
        _ = bench.take()
        try bench.call(#"{\#(common),"hook_event_name":"SessionStart","source":"compact"}"#)
        #expect(bench.take() == [])
    }

    @Test("with two of a type at work, no subagent gets the name of a call that is not its own")
    func namesOfSeveral() throws {
        var bench = ClaudeBench()
        func hook(_ event: String, _ fields: String) -> String {
            #"{"session_id":"s1","cwd":"/w","hook_event_name":"\#(event)",\#(fields)}"#
        }
        func call(_ number: Int) -> String {
            let input = #"{"description":"task \#(number)","subagent_type":"general-purpose"}"#
            return #""tool_name":"Agent","tool_use_id":"t\#(number)","tool_input":\#(input)"#
        }
        let agent = #""agent_id":"a1","agent_type":"general-purpose""#
        for number in 1...2 { try bench.call(hook("PreToolUse", call(number))) }
        try bench.call(hook("SubagentStart", agent))
        #expect(try bench.head(.subagentStarted).optionalString("call") == nil)
        for number in 1...2 {
            try bench.call(hook("PostToolUse", call(number) + #","tool_response":{"content":[]}"#))
        }
        try bench.call(hook("PreToolUse", call(3)))
        try bench.call(hook("PermissionRequest", agent + #","tool_name":"Bash","tool_input":{"command":"ls"}"#))
        #expect(bench.requests.last?.head.agentName == "general-purpose")
    }

    // MARK: Whatever comes

    @Test("the relay takes every event that comes of any hook's input", arguments: 0..<8)
    func anything(_ seed: UInt64) throws {
        var dice = Dice(seed: seed)
        var bench = ClaudeBench()
        for round in 0..<12 {
            let event = dice.pick([
                "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit",
                "MessageDisplay",
                "SubagentStart", "SubagentStop", "StopFailure", "SessionStart", "Notification",
            ])
            let count = bench.effects.count
            bench.call(bytes: dice.payload(event, round), event: event)
            for case .emit(let session, let bytes, _) in bench.effects[count...] {
                #expect(throws: Never.self) {
                    let event = try Event(stored: bytes)
                    _ = try HostMessage(
                        parsing: HostMessage.events(HostEvents(session: session, first: 1, events: [event])).bytes)
                }
            }
            if event == "PreToolUse" || event == "PermissionRequest" || event == "UserPromptSubmit" {
                let isTold = bench.effects[count...].contains { if case .emit = $0 { true } else { false } }
                #expect(isTold, "\(event) left no event")
            }
        }
    }

    @Test("a secret beyond what is looked through is not half shown")
    func secretAtTheCut() throws {
        let adapter = ClaudeBench().adapter
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
        for padding in stride(from: 100, to: 160, by: 1) {
            let text = String(repeating: "x ", count: 16_384) + String(repeating: "y", count: padding) + " " + secret + " z"
            let shown = adapter.clean(text, bytesMax: 300) + adapter.cleanEnds(text, bytesMax: 300)
            #expect(!shown.contains("ghp_"))
        }
    }
}

/// Random inputs of hooks.
private struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// Source: Sebastiano Vigna, "xorshift64*".
    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    mutating func pick<Element>(_ list: [Element]) -> Element { list.randomElement(using: &self)! }

    mutating func payload(_ event: String, _ round: Int) -> [UInt8] {
        let tool = pick([
            "Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "AskUserQuestion", "TodoWrite", "mcp__x__y", "Agent",
            "é\u{301}",
        ])
        let keys = [
            "tool_input", "tool_response", "prompt", "delta", "message_id", "error", "agent_id", "agent_type", "tool_calls",
            "model",
        ]
        var text = #"{"session_id":"s1","hook_event_name":"\#(event)","tool_name":"\#(tool)","tool_use_id":"t\#(round)""#
        for key in keys where Int.random(in: 0..<3, using: &self) > 0 || key == "tool_input" {
            text += ",\"\(key)\":" + value(0)
        }
        var bytes = Array((text + "}").utf8)
        // Corrupted anywhere except in its names.
        for _ in 0..<Int.random(in: 0..<4, using: &self) {
            let place = Int.random(in: 120..<max(121, bytes.count), using: &self)
            if place < bytes.count {
                bytes[place] = pick([0x00, 0xFF, 0xC3, 0xED, 0x5C, 0x22, 0x7B, 0x5D, UInt8.random(in: 0...255, using: &self)])
            }
        }
        if Int.random(in: 0..<8, using: &self) == 0 {
            bytes.removeLast(Int.random(in: 0..<max(1, bytes.count - 150), using: &self))
        }
        return bytes
    }

    private mutating func value(_ depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 4 ? 4 : 8), using: &self) {
        case 0: return pick(["0", "-1.5e9", "true", "null", "1e999", "99999999999999999999"])
        case 1, 2, 3: return "\"\(words())\""
        case 4:
            return "[" + (0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth + 1) }.joined(separator: ",") + "]"
        case 5:
            let depth = Int.random(in: 1..<60, using: &self)
            return String(repeating: #"{"a":["#, count: depth) + "1" + String(repeating: "]}", count: depth)
        default:
            let names = [
                "command", "content", "file_path", "old_string", "new_string", "questions", "question", "header", "options",
                "label", "edits", "todos",
                "password", "a", "\(words().prefix(20))",
            ]
            let members = (0..<Int.random(in: 0..<6, using: &self)).map { _ in "\"\(pick(names))\":\(value(depth + 1))" }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private mutating func words() -> String {
        let parts = [
            "é", "😀", #"\ud83d"#, #"\ude00"#, #"\u0000"#, #"\u007f"#, "\u{202E}", " ", #"\n"#, #"\""#, #"\\"#,
            "curl -H 'Authorization: Bearer ",
            "password=ä", "--token ", "-----BEGIN RSA PRIVATE KEY-----\\n", "ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "X-Api-Key: ü", "a",
        ]
        var text = ""
        let lengths = [1, 3, 10, 300]
        for _ in 0..<pick(lengths) { text += pick(parts) }
        return Int.random(in: 0..<300, using: &self) == 0
            ? String(repeating: text, count: 300_000 / max(1, text.utf8.count)) : text
    }
}
