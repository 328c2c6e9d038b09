/// Facts about the agent that are sent together with its input.
package struct HookCaller: Sendable {
    package var process: String?
    package var entrypoint: String?
    package var attended: String?
    /// True if the agent's own dialog opens only after the hook has ended.
    package var dialogWaits = false
    /// Value of `attended` in a session without a person at its terminal.
    package static let unattended = "0"
    /// Value of `attended` in a session that one of our programs runs: that program asks the person at its terminal.
    package static let run = "run"

    package init(process: String? = nil, entrypoint: String? = nil, attended: String? = nil) {
        self.process = process
        self.entrypoint = entrypoint
        self.attended = attended
    }

    /// True only if the agent says so, because an agent that does not may be waiting for us alone.
    package var isAttended: Bool { attended == "1" || attended == Self.run }
}

extension HookCaller {
    /// Reads these variables. No other part of the environment is ever sent, because it also contains keys and tokens.
    package init(of hooks: HookPart, environment: (String) -> String? = HostPaths.variable) {
        process = environment(hooks.process)
        entrypoint = environment(hooks.entrypoint)
        attended = environment(hooks.attended)
    }

    package mutating func lookForRun(of hooks: HookPart, environment: (String) -> String? = HostPaths.variable) {
        if let run = environment(hooks.run), run == environment(hooks.session) { attended = Self.run }
        // An agent in or below a terminal of ours: until that terminal's program reports an offer, none is made in its place.
        if attended == "1", environment(TerminalNotice.variable) != nil { attended = Self.run }
    }
}
