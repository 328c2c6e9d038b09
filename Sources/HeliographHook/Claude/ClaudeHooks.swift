internal import AgentClaude

/// What is particular about Claude Code's hooks.
package enum ClaudeHooks {
    static let agent = "claude"
    /// The two events that are answered: the question itself, and what comes before each tool.
    package static let awaited = "PermissionRequest"
    package static let beforeTool = "PreToolUse"
    /// Names the session to the hooks of exactly this agent: an agent that it starts in turn is not ours to answer for.
    package static let run = "HELIOGRAPH_RUN"

    static var part: HookPart {
        HookPart(
            process: "CLAUDE_PID", entrypoint: "CLAUDE_CODE_ENTRYPOINT", attended: "CLAUDE_CODE_SESSION_ATTENDED",
            session: "CLAUDE_CODE_SESSION_ID", run: run, awaited: awaited, beforeTool: beforeTool,
            ask: { ClaudeAnswer.askUnheard }, statusLine: ClaudeStatusLine.text)
    }
}
