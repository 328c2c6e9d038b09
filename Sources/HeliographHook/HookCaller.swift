/// Facts about the agent that are sent in addition to its input.
package struct HookCaller: Sendable {
    package var process: String?
    package var entrypoint: String?
    package var attended: String?
    /// The agent's own dialog opens only when the hook is over.
    package var dialogWaits = false
    /// Value of `attended` in a session that one of our programs runs: that program asks the person at its terminal.
    package static let run = "run"

    package init(process: String? = nil, entrypoint: String? = nil, attended: String? = nil) {
        self.process = process
        self.entrypoint = entrypoint
        self.attended = attended
    }

    /// True only if the agent says so: one that says nothing may be waiting for us alone.
    package var isAttended: Bool { attended == "1" || attended == Self.run }
}

extension HookCaller {
    /// The whole of the environment that is ever sent: it also holds keys and tokens.
    package init(of hooks: HookPart, environment: (String) -> String? = HostPaths.variable) {
        process = environment(hooks.process)
        entrypoint = environment(hooks.entrypoint)
        attended = environment(hooks.attended)
    }

    package mutating func lookForRun(of hooks: HookPart, environment: (String) -> String? = HostPaths.variable) {
        if let run = environment(hooks.run), run == environment(hooks.session) { attended = Self.run }
        // One that runs in a terminal of ours, or below it: until that says what can be done, nothing is offered in its place.
        if attended == "1", environment(TerminalNotice.variable) != nil { attended = Self.run }
    }
}
