/// What is told of the agent beside what it wrote.
struct HookCaller: Sendable {
    var process: String?
    var entrypoint: String?
    var attended: String?
    /// `attended` of a session that a program of ours runs, which asks where it runs.
    static let run = "run"

    /// Only where the agent says so: one that says nothing may be waiting for us alone.
    var isAttended: Bool { attended == "1" || attended == Self.run }
}

extension HookCaller {
    /// The whole of the environment that is ever sent: it also holds keys and tokens.
    init(of hooks: HookPart, environment: (String) -> String? = HostPaths.variable) {
        process = environment(hooks.process)
        entrypoint = environment(hooks.entrypoint)
        attended = environment(hooks.attended)
    }

    mutating func lookForRun(of hooks: HookPart, environment: (String) -> String? = HostPaths.variable) {
        if let run = environment(hooks.run), run == environment(hooks.session) { attended = Self.run }
    }
}
