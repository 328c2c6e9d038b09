/// A prompt that Claude Code has written to itself when background work has ended.
enum ClaudeNotice {
    private static let mark = "<task-notification>"

    static func isOne(_ prompt: String) -> Bool { prompt.drop { $0.isWhitespace }.hasPrefix(mark) }
}
