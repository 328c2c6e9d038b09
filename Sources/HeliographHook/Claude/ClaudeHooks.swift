internal import AgentClaude

/// Names of Claude Code's hook events and variables.
package enum ClaudeHooks {
    static let agent = "claude"
    /// Two of the events whose hooks are answered: the permission question itself, and the one before each tool.
    package static let awaited = "PermissionRequest"
    /// The event before a dialog that stays closed while its hook runs.
    package static let elicitation = ClaudeAnswer.elicitation
    package static let beforeTool = "PreToolUse"
    /// Variable that names the session to the hooks of exactly this agent: we do not answer for an agent that it starts in turn.
    package static let run = "HELIOGRAPH_RUN"

    static var part: HookPart {
        HookPart(
            process: "CLAUDE_PID", entrypoint: "CLAUDE_CODE_ENTRYPOINT", attended: "CLAUDE_CODE_SESSION_ATTENDED",
            session: "CLAUDE_CODE_SESSION_ID", run: run, awaited: awaited, beforeDialog: elicitation,
            keepsDialogClosed: ClaudeHook.isOfSubagent, beforeTool: beforeTool,
            ask: { mayBeAttended($0) ? ClaudeAnswer.askUnheard : ClaudeAnswer.refuseUnheard },
            statusLine: ClaudeStatusLine.text)
    }

    /// Claude Code before 2.1.332 says only how it was started.
    private static func mayBeAttended(_ caller: HookCaller) -> Bool {
        caller.attended.map { $0 != HookCaller.unattended } ?? ClaudeEntrypoint.isScreen(caller.entrypoint)
    }
}
