/// What is told of the agent beside what it wrote.
struct HookCaller: Sendable {
    var process: String?
    var entrypoint: String?
    var attended: String?
}

extension HookCaller {
    /// The whole of the environment that is ever sent: it also holds keys and tokens.
    init(of hooks: HookPart, environment: (String) -> String? = HostPaths.variable) {
        process = environment(hooks.process)
        entrypoint = environment(hooks.entrypoint)
        attended = environment(hooks.attended)
    }
}
