import Glibc

/// `heliograph statusline AGENT [--wrap COMMAND]`: the only place where Claude Code says what a running session costs.
///
/// The person's own status line comes first: it is started before the daemon is told, and its output and status pass through.
package enum StatusLineCall {
    package static func run(agent: String, wrapped: String?) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        let limits = HookLimits()
        guard let input = HookStream.readInput(limits: limits), input.isWhole else { return 0 }
        let body = input.bytes
        let child = wrapped.flatMap { ShellCommand(running: $0, input: body) }
        if wrapped == nil, let line = StatusLine.text(for: body) { HookStream.write(Array((line + "\n").utf8)) }
        if let request = HookRequest(path: ["statusline", agent], body: body) {
            HookExchange(request: request, socketPath: HostPaths().socket, limits: limits).tell()
        }
        return child?.wait() ?? 0
    }
}
