@testable import HeliographHost
import Testing

@Suite("Shell words")
struct ShellWordsTests {
    @Test("A quoted text is one word again", arguments: ["", "a", "a b", "it's", "''", "$x `y` \"z\" \\", "é\n"])
    func quoting(text: String) {
        #expect(ShellWords.split(ShellWords.quoted(text)) == [text])
    }

    @Test("Words are split and unquoted as the shell does")
    func splitting() {
        #expect(ShellWords.split("  a 'b c'\"d e\"\\ f\tg ") == ["a", "b cd e f", "g"])
        #expect(ShellWords.split("\"a\\\"b\\c\"") == ["a\"b\\c"])
        #expect(ShellWords.split("") == [])
    }

    @Test(
        "What the shell would interpret is not split",
        arguments: ["a;b", "a|b", "$a", "\"$a\"", "`a`", "a>b", "'a", "\"a", "a\\", "*"])
    func interpretation(command: String) {
        #expect(ShellWords.split(command) == nil)
    }

    @Test("Our own commands are known by their shape, whatever the path")
    func shapes() {
        #expect(
            ClaudeCommand("'/a b/heliograph' hook claude Stop") == .hook(executable: "/a b/heliograph", event: "Stop"))
        #expect(ClaudeCommand("heliograph statusline claude") == .statusLine(executable: "heliograph", wrapped: nil))
        for command in [
            "/bin/heliographs hook claude Stop", "heliograph hook codex Stop", "heliograph hook claude",
            "echo heliograph hook claude Stop",
            "heliograph hook claude Stop; rm x", "heliograph host", "",
        ] {
            #expect(ClaudeCommand(command) == nil)
        }
    }
}
