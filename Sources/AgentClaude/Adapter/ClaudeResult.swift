internal import HostCore
internal import RelayProtocol

/// A tool's result, as text.
struct ClaudeResult {
    var summary = ""
    /// The output to show; nil for results of reading and searching, which stay here.
    var output: String?
    var exitCode: Int64?
    var isError = false

    init(tool: String, response: JSONValue?, error: String?) {
        let text = error ?? Self.text(response)
        isError =
            error != nil || Self.isRejection(text) || ClaudeAnswer.isRefused(text) || text.hasPrefix("<tool_use_error>")
            || Self.exit(text) != nil
        exitCode = Self.exit(text)
        switch tool {
        case "Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "NotebookRead":
            if isError { summary = text }
        case "Edit", "MultiEdit", "Write", "NotebookEdit", "TodoWrite", "AskUserQuestion":
            // The diff, the list and the answers are separate events.
            if isError { summary = text }
        default:
            // Programs report their result in the last line; JSON means nothing to people.
            let isWords = response.map { Self.words(of: $0) != nil } ?? true
            summary = isError ? text : isWords ? TextCut.lastLine(text) : ""
            output = text
        }
        if isError { output = text }
    }

    /// The words of `tool_response` in any of its known shapes; other shapes as JSON.
    static func text(_ response: JSONValue?) -> String {
        guard let response else { return "" }
        return words(of: response) ?? String(decoding: response.bytes, as: UTF8.self)
    }

    private static func words(of response: JSONValue) -> String? {
        if let text = try? response.string() { return text }
        if response.isObject {
            let streams = [response.text("stdout"), response.text("stderr")].compactMap(\.self).filter { !$0.isEmpty }
            if response.optional("stdout") != nil { return response.isTrue("isImage") ? "" : streams.joined(separator: "\n") }
            let content = response.list("content")
            if !content.isEmpty { return content.compactMap { $0.text("text") }.joined(separator: "\n") }
        }
        if let parts = try? response.array() { return parts.compactMap { $0.text("text") }.joined(separator: "\n") }
        return nil
    }

    /// True for Claude's text after a denial or an interrupt at the terminal.
    static func isRejection(_ text: String) -> Bool {
        text.hasPrefix("The user doesn't want to") || text.contains("The tool use was rejected")
            || text.hasPrefix("[Request interrupted by user")
    }

    private static func exit(_ text: String) -> Int64? {
        for prefix in ["Error: Exit code ", "Exit code "] where text.hasPrefix(prefix) {
            let digits = text.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }
            if let code = Int32(digits) { return Int64(code) }
        }
        return nil
    }
}
