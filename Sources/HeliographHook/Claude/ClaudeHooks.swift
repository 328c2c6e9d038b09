internal import AgentClaude

/// Names of Claude Code's hook events and variables.
package enum ClaudeHooks {
    static let agent = "claude"
    /// Two of the events that are answered: the question itself, and what comes before each tool.
    package static let awaited = "PermissionRequest"
    /// The event before a dialog that its hook keeps closed.
    package static let elicitation = ClaudeAnswer.elicitation
    package static let beforeTool = "PreToolUse"
    /// Names the session to the hooks of exactly this agent: an agent that it starts in turn is not ours to answer for.
    package static let run = "HELIOGRAPH_RUN"

    static var part: HookPart {
        HookPart(
            process: "CLAUDE_PID", entrypoint: "CLAUDE_CODE_ENTRYPOINT", attended: "CLAUDE_CODE_SESSION_ATTENDED",
            session: "CLAUDE_CODE_SESSION_ID", run: run, awaited: awaited, beforeDialog: elicitation,
            keepsDialogClosed: ClaudeHook.isOfSubagent, beforeTool: beforeTool, ask: { ClaudeAnswer.askUnheard },
            statusLine: ClaudeStatusLine.text)
    }
}
