/// Facts about one agent for the program that its hooks and status line start. It is made before every tool call, so it contains
/// only constants and costs nothing.
package struct HookPart {
    /// The variables in which the agent gives its process, how it was started, and whether a person is at its terminal (`1`).
    let process: String
    let entrypoint: String
    let attended: String
    /// Two variables: in one the agent names the hook's session, in the other a program of ours names the session that it runs.
    /// They are compared so that the program answers for its own session, and not for one that its agent starts in turn.
    let session: String
    let run: String
    /// The event whose hook waits for a person; SIGTERM ends it at once, and the daemon sees the hang-up.
    let awaited: String
    /// The other event whose hook waits for a person; it keeps the agent's own dialog closed meanwhile.
    let beforeDialog: String
    /// True if the hook of `awaited` keeps the dialog closed too, by its input.
    let keepsDialogClosed: (_ input: [UInt8]) -> Bool
    /// The event before a tool runs; its hook may also be answered, at once.
    let beforeTool: String
    /// Output of the `beforeTool` hook that makes the agent ask at its own prompt; for an agent without a person there, that refuses.
    let ask: (_ caller: HookCaller) -> [UInt8]
    /// Our own status line, for users without one; nil if nothing of the input can be shown.
    let statusLine: (_ input: [UInt8]) -> String?
}
