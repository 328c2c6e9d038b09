import Testing

@testable import AgentACP

@Suite("ACP: text that looks like a command")
struct LiteralPromptTests {
    @Test(
        "gets a line of ours before it",
        arguments: ["/help", " /help", "\n\t/help x", "\u{200B}/help", "\u{FEFF}!ls", "#x", "@file", "!ls"])
    func guarded(_ text: String) {
        #expect(LiteralPrompt.text(text) == LiteralPrompt.note + "\n" + text)
    }

    @Test("any other text is left as it is", arguments: ["mend it", " a/b", "> /help", "\"/help\"", "", "  ", "1. #x"])
    func other(_ text: String) { #expect(LiteralPrompt.text(text) == text) }

    @Test("a prompt is known again whatever becomes of its spaces, and no other is")
    func same() {
        #expect(LiteralPrompt.isSame(" one\r\n two ", as: "one\n\ttwo"))
        #expect(
            !LiteralPrompt.isSame("one", as: "one two") && !LiteralPrompt.isSame("", as: "")
                && !LiteralPrompt.isSame(" ", as: "\n"))
    }
}
