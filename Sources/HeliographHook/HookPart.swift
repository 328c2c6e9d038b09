/// What the program that an agent's hooks and status line start has to know of that agent. It is made before every tool call:
/// constants, and nothing that costs.
package struct HookPart {
    /// The variables in which the agent says which process it is, how it was started, and whether somebody sits at it (`1`).
    let process: String
    let entrypoint: String
    let attended: String
    /// Where the agent names the session of the hook, and where a program of ours that runs a session names that: it answers for this one,
    /// and for none that its agent starts in turn.
    let session: String
    let run: String
    /// The event whose hook waits for a person; SIGTERM ends it at once, and the daemon sees the hang-up.
    let awaited: String
    /// The event whose hook waits for a person as well, and keeps the agent's own dialog closed meanwhile.
    let beforeDialog: String
    /// True if the hook of `awaited` does so too, by its input.
    let keepsDialogClosed: (_ input: [UInt8]) -> Bool
    /// The event before a tool runs: the other one that may be answered, at once.
    let beforeTool: String
    /// What that hook prints so that the agent asks at its own prompt.
    let ask: () -> [UInt8]
    /// Our own status line, for those who have none; nil where nothing of the input can be shown.
    let statusLine: (_ input: [UInt8]) -> String?
}
