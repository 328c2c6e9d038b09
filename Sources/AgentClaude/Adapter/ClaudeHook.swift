package import HostCore
package import RelayProtocol

/// One hook call: Claude Code's input to it, and the hook's own facts.
package struct ClaudeHook: Sendable {
    package var event: String
    package var payload: JSONDocument
    /// True if the payload is exactly and completely what the agent wrote. Otherwise it can be shown and denied, never allowed.
    package var isWhole = true
    package var process: AgentProcess?
    /// True if a person is at the terminal, so that its own prompt stays when we abstain.
    package var isAttended = true
    /// True if `heliograph run` runs the agent.
    package var isRun = false
    /// True if a program may answer the agent's questions in a person's place, whatever its hooks say meanwhile: Claude Code takes
    /// the first of the two answers.
    package var isAnsweredByProgram = false
    /// For a `PreToolUse`: true if the settings in force in its folder have a PermissionRequest hook besides ours, which can answer.
    package var hasOtherAnswerer = false
    /// For a `PermissionRequest`: true if the terminal's dialog opens only after the hook has ended, as with a subagent.
    package var dialogWaits = false
    /// Number of the call. From 2 on it is the same call again, after this daemon or its connection failed.
    package var attempt = 1
    /// Identifies one run of the hook, the same at every attempt; nil if the hook sent none.
    package var run: String?
    /// The waiting caller. Only for `PermissionRequest` and `PreToolUse`; the latter waits only for a moment.
    package var token: HookToken?
    /// The file that a `PermissionRequest` is about; nil for other calls.
    package var file: ClaudeFile?
    /// The Git checkout of a `SessionStart`'s folder; nil for other calls.
    package var checkout: Checkout?

    package init(event: String, payload: JSONDocument, process: AgentProcess?) {
        self.event = event
        self.payload = payload
        self.process = process
    }

    /// `arguments`: those with which the agent was started.
    package static func isAnsweredByProgram(_ arguments: [String]) -> Bool {
        arguments.contains { $0 == "--permission-prompt-tool" || $0.hasPrefix("--permission-prompt-tool=") }
    }

    /// True for a subagent's call: Claude Code builds the dialog of its `PermissionRequest` only after the hook.
    package static func isOfSubagent(_ payload: [UInt8]) -> Bool {
        let document = (try? JSONDocument(parsing: payload)) ?? JSONRepair.document(payload)
        return ClaudeAdapter.agent(document.root) != nil
    }
}
