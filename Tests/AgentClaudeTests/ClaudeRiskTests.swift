import AgentTestSupport
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: what to look at twice")
struct ClaudeRiskTests {
    @Test("the card says what to look at twice, judged by the input itself")
    func risks() throws {
        var bench = ClaudeBench()
        func ask(_ tool: String, _ input: String) throws -> [String] {
            try bench.call(
                #"{"session_id":"one","cwd":"/home/dev/proj","hook_event_name":"PermissionRequest","tool_name":"\#(tool)","tool_input":\#(input)}"#
            )
            return try #require(bench.requests.last).head.risks
        }
        #expect(try ask("Bash", #"{"command":"sudo rm -r build"}"#).count == 2)
        #expect(try ask("Bash", #"{"command":"ls"}"#) == [])
        #expect(
            try ask("Write", #"{"file_path":"/srv/x","content":"x"}"#) == ["Outside the session's folder, ~/proj."])
    }
}
