import Testing

@testable import HeliographHook

@Suite("Claude Code's status line")
struct ClaudeStatusLineTests {
    @Test("Our own line has the model, the cost and the context")
    func line() {
        let input =
            #"{"model":{"id":"x","display_name":"Opus 5.5"},"cost":{"total_cost_usd":12.018},"#
            + #""context_window":{"used_percentage":41.6}}"#
        #expect(ClaudeStatusLine.text(for: Array(input.utf8)) == "Opus 5.5 · $12.02 · 42% context")
    }

    @Test("What is missing or strange is left out, and nothing at all is no line")
    func missing() {
        let input = #"{"model":{"display_name":"A\u001b[31m\u009bB"},"cost":{"total_cost_usd":-1},"context_window":null}"#
        #expect(ClaudeStatusLine.text(for: Array(input.utf8)) == "A[31mB")
        #expect(ClaudeStatusLine.text(for: Array("{}".utf8)) == nil)
        #expect(ClaudeStatusLine.text(for: Array("not JSON".utf8)) == nil)
    }
}
