import Testing

@testable import AgentClaude

@Suite("where Claude Code keeps a project's transcripts")
struct TranscriptFolderTests {
    @Test(
        "the name is spelled as the real program spells it",
        arguments: [
            ("/work/caf\u{e9}", "-work-caf-"), ("/work/cafe\u{301}", "-work-cafe-"), ("/work/a.b", "-work-a-b"),
            ("/work/\u{1F469}\u{200D}\u{1F4BB} x", "-work-------x"), ("/work/中文", "-work---"), ("/work/a_b", "-work-a-b"),
        ])
    func names(project: String, name: String) {
        let folder = TranscriptFolder(of: project)
        #expect(folder.only == name && folder.canBe(name) && !folder.canBe(name + "-x"))
    }

    @Test("a long one is cut, and ends with a hash")
    func long() {
        let folder = TranscriptFolder(of: "/" + String(repeating: "l", count: 220))
        let beginning = "-" + String(repeating: "l", count: 199)
        #expect(folder.only == nil && folder.canBe(beginning + "-mvdkk4"))
        #expect(!folder.canBe(beginning) && !folder.canBe(beginning + "-") && !folder.canBe(beginning + "l"))
        #expect(TranscriptFolder(of: "/" + String(repeating: "l", count: 199)).only == beginning)
    }
}
