import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: diffs of what is asked for")
struct ClaudeDiffTests {
    private func diff(_ tool: String, _ input: String) throws -> [String] {
        ClaudeDiff(tool: tool, input: try JSONDocument(parsing: input).root, Redactor())?.lines ?? []
    }

    @Test("only a line feed ends a line: other line ends stay to be seen within it")
    func lineEnds() throws {
        let input = #"{"content":"a\r\nb\rc\u0085d\u2028e\n"}"#
        #expect(try diff("Write", input) == ["+a\r", "+b\rc\u{85}d\u{2028}e"])
    }

    @Test("a missing line feed at the end is told")
    func finalNewline() throws {
        let mark = #"\ No newline at end of file"#
        #expect(try diff("Write", #"{"content":"a"}"#) == ["+a", mark])
        #expect(try diff("Edit", #"{"old_string":"a\n","new_string":"a"}"#) == ["-a", "+a", mark])
        #expect(try diff("Edit", #"{"old_string":"a","new_string":""}"#) == ["-a", mark])
        #expect(try diff("Edit", #"{"old_string":"a","new_string":"b"}"#) == ["-a", "+b"])
    }

    @Test("a secret that is edited is a change, without being seen")
    func secrets() throws {
        let edit =
            #"{"old_string":"a\nTOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n","new_string":"a\nTOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012346\n"}"#
        #expect(try diff("Edit", edit) == ["-a", "-TOKEN=⟨redacted⟩", "+a", "+TOKEN=⟨redacted⟩"])
    }
}
