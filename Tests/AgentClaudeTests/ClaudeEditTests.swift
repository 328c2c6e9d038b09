import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: calls that a person edits")
struct ClaudeEditTests {
    private static func asked(tool: String = "Bash", _ input: String) throws -> ClaudeBench {
        var bench = ClaudeBench()
        try bench.call(event("PreToolUse", tool, input, #","tool_use_id":"toolu_1""#))
        try bench.call(event("PermissionRequest", tool, input))
        _ = bench.take()
        return bench
    }

    private static func event(_ name: String, _ tool: String, _ input: String, _ more: String = "") -> String {
        #"{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"\#(name)","permission_mode":"default","#
            + #""tool_name":"\#(tool)","tool_input":\#(input)\#(more)}"#
    }

    private static let command = #"{"command":"rm -rf build","timeout":1.0}"#
    private static let edit = #"{"command":"rm -rf bin"}"#

    private static func edited(_ bench: ClaudeBench, _ edit: String) throws(EditError) -> String {
        let approval = bench.adapter.approvals[0].id
        return String(decoding: try bench.adapter.edited(approval, by: edit).input, as: UTF8.self)
    }

    @Test(
        "the texts that a tool runs or writes are offered, and no path",
        arguments: [
            ("Bash", command, ["command"]), ("Write", #"{"file_path":"/x","content":"a"}"#, ["content"]),
            ("Edit", #"{"file_path":"/x","old_string":"a","new_string":"b"}"#, ["new_string"]),
            ("WebFetch", #"{"url":"https://x.example","prompt":"p"}"#, ["url", "prompt"]),
            ("Bash", #"{"command":7}"#, []), ("mcp__a__b", command, []), ("ExitPlanMode", #"{"plan":"p"}"#, []),
            ("Bash", #"{"command":"curl -H 'X: ghp_16C7e42F292c6912E7710c838347Ae178B4a' x"}"#, []),
        ])
    func offered(tool: String, input: String, editable: [String]) throws {
        #expect(try Self.asked(tool: tool, input).requests.last?.head.editable == editable)
        let long = #"{"command":""# + String(repeating: "x", count: EditedInput.askedBytesMax) + #""}"#
        #expect(try Self.asked(long).requests.last?.head.editable == [])
    }

    @Test("the hook gets the edited input, the rest byte for byte, and the call that ran with it is the proof")
    func applied() throws {
        var bench = try Self.asked(Self.command)
        #expect(try Self.edited(bench, Self.edit) == #"{"command":"rm -rf bin","timeout":1.0}"#)
        try bench.decide(.allowEdited(Self.edit))
        #expect(
            bench.take() == [
                "approval.delivered",
                #"hook 1: {"behavior":"allow","updatedInput":{"command":"rm -rf bin","timeout":1.0}}"#,
            ])
        try bench.call(
            Self.event("PostToolUse", "Bash", #"{"command":"rm -rf bin","timeout":1}"#, #","tool_use_id":"toolu_1""#))
        #expect(bench.take().first == "approval.applied ran")
    }

    @Test("the call that ran as it was asked was allowed at the terminal")
    func allowedLocally() throws {
        var bench = try Self.asked(Self.command)
        try bench.decide(.allowEdited(Self.edit))
        _ = bench.take()
        try bench.call(Self.event("PostToolUse", "Bash", Self.command, #","tool_use_id":"toolu_1""#))
        #expect(bench.take().first == "approval.stale allowedLocally")
    }

    @Test("an edit with a warning that was not shown is refused, one with those that were is not")
    func risks() throws {
        let bench = try Self.asked(#"{"command":"ls"}"#)
        #expect(try Self.edited(bench, #"{"command":"ls -a"}"#) == #"{"command":"ls -a"}"#)
        #expect(throws: EditError.risky) { try Self.edited(bench, #"{"command":"sudo rm -rf /"}"#) }
        #expect(throws: EditError.malformed) { try Self.edited(bench, #"{"description":"x"}"#) }
        let warned = try Self.asked(#"{"command":"sudo rm -rf / tmp"}"#)
        #expect(warned.requests.last?.head.risks.isEmpty == false)
        #expect(throws: Never.self) { try Self.edited(warned, #"{"command":"sudo rm -rf /  tmp"}"#) }
    }

    @Test("what is answered already is not edited any more")
    func answered() throws {
        var bench = try Self.asked(Self.command)
        try bench.decide(.allow)
        #expect(throws: EditError.notOffered) { try Self.edited(bench, Self.edit) }
        #expect(throws: EditError.notOffered) { try bench.adapter.edited(ApprovalID("a0")!, by: Self.edit) }
    }
}
