package import HostCore
package import RelayProtocol

/// One hook call: what Claude Code wrote to it, and what the hook knew besides.
package struct ClaudeHook: Sendable {
    package var event: String
    package var payload: JSONDocument
    /// The payload is all of what the agent wrote, exactly. Otherwise it can be shown and denied, never allowed.
    package var isWhole = true
    package var process: AgentProcess?
    /// True if a person sits at the terminal, so that a prompt of its own stays when we abstain.
    package var isAttended = true
    /// `heliograph run` runs it.
    package var isRun = false
    /// Of a `PermissionRequest`: the terminal's dialog opens only after the hook has ended, as with a subagent.
    package var dialogWaits = false
    /// From the second on it is the same call again, after this daemon or its connection failed.
    package var attempt = 1
    /// Identifies one run of the hook, the same at every attempt; nil if the hook sent none.
    package var run: String?
    /// Only of `PermissionRequest` and `PreToolUse`: the hook waits for the answer, the latter for a moment only.
    package var token: HookToken?
    /// Only of a `PermissionRequest` that is about a file.
    package var file: ClaudeFile?
    /// Only of a `SessionStart`: the Git checkout that its folder is in.
    package var checkout: Checkout?

    package init(event: String, payload: JSONDocument, process: AgentProcess?) {
        self.event = event
        self.payload = payload
        self.process = process
    }

    /// True for a subagent's call: Claude Code builds the dialog of its `PermissionRequest` only after the hook.
    package static func isOfSubagent(_ payload: [UInt8]) -> Bool {
        let document = (try? JSONDocument(parsing: payload)) ?? JSONRepair.document(payload)
        return ClaudeAdapter.agent(document.root) != nil
    }
}
