import Glibc

/// `heliograph statusline AGENT [--wrap COMMAND]`: for some agents the only source of a running session's cost.
///
/// The person's own status line comes first: it is started before the daemon gets the input, and its output and status pass
/// through.
enum StatusLineCall {
    static func run(agent: String, wrapped: String?, hooks: HookPart?) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        var limits = HookLimits()
        // The line is drawn several times a second, so a stopped daemon is not waited for.
        limits.glance = .milliseconds(1)
        guard let input = HookStream.readInput(limits: limits), input.isWhole else { return 0 }
        let body = input.bytes
        let child = wrapped.flatMap { ShellCommand(running: $0, input: body) }
        if wrapped == nil, let line = hooks?.statusLine(body) { HookStream.write(Array((line + "\n").utf8)) }
        if let hooks,
            let request = HookRequest(path: ["statusline", agent], body: body, caller: HookCaller(of: hooks))
        {
            HookExchange(request: request, socketPath: HostPaths().socket, limits: limits).tell()
        }
        return child?.wait() ?? 0
    }
}
