import AgentTestSupport
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: what to look at twice")
struct ClaudeRiskTests {
    private func payload(_ tool: String, _ input: String) -> String {
        #"{"session_id":"one","cwd":"/home/dev/proj","hook_event_name":"PermissionRequest","tool_name":"\#(tool)","tool_input":\#(input)}"#
    }

    private func ask(_ tool: String, _ input: String, _ file: ClaudeFile? = nil) throws -> [String] {
        var bench = ClaudeBench()
        try bench.call(payload(tool, input), file: file)
        return try #require(bench.requests.last).head.risks
    }

    @Test("the card says what to look at twice, judged by the input itself")
    func risks() throws {
        #expect(try ask("Bash", #"{"command":"sudo rm -r build"}"#).count == 2)
        #expect(try ask("Bash", #"{"command":"ls"}"#) == [])
        #expect(
            try ask("Write", #"{"file_path":"/srv/x","content":"x"}"#) == ["Outside the session's folder, ~/proj."])
    }

    @Test("a tool server's writing is looked at as Claude's own, and through links")
    func servers() throws {
        let linked = ClaudeFile(content: .absent, target: "/elsewhere/a.md")
        for (tool, input) in [
            ("mcp__fs__write_file", #"{"path":"docs/a.md","content":"x"}"#),
            ("mcp__fs__edit_file", #"{"path":"docs/a.md","edits":[]}"#),
            ("mcp__fs__move_file", #"{"source":"b","destination":"docs/a.md"}"#),
        ] {
            let path = ClaudeFile.path(of: try JSONDocument(parsing: payload(tool, input)).root)
            #expect(path == "/home/dev/proj/docs/a.md", "\(tool)")
            #expect(
                try ask(tool, input, linked) == [
                    "A link leads from docs/a.md to /elsewhere/a.md: that is what changes.",
                    "Outside the session's folder, ~/proj.",
                ], "\(tool)")
            #expect(try ask(tool, input, .absent) == [], "\(tool)")
            let late = try ask(tool, input, ClaudeFile(content: .unread(.late)))
            #expect(late == ["Where links in the path lead could not be found out."], "\(tool)")
        }
    }
}
