import Glibc

/// `heliograph hook AGENT EVENT`: what a coding agent runs at each of its events.
///
/// It is started before every tool call, so it must cost nothing: no Foundation, no JSON, no argument parser on this path.
/// Whatever goes wrong, it prints nothing and exits with 0: any other status could allow or block something in the agent.
package enum HookCall {
    package static func run(agent: String, event: String) -> Int32 {
        // A reader that is gone must show as an error, not kill us with a status of our own.
        signal(SIGPIPE, SIG_IGN)
        let limits = HookLimits()
        guard let body = HookStream.readInput(limits: limits),
            let request = HookRequest(path: ["hook", agent, event], body: body, call: HookRequest.randomCall())
        else { return 0 }
        let exchange = HookExchange(
            request: request, socketPath: HostPaths().socket, limits: limits, isAgentAlive: agentWatch())
        let answer = isAwaited(event) ? exchange.ask() : exchange.tell()
        if let answer, isHeard(event) { HookStream.write(answer) }
        return 0
    }

    /// Only these wait for a person; SIGTERM ends them at once, and the daemon sees the hang-up.
    static func isAwaited(_ event: String) -> Bool { event == "PermissionRequest" }

    /// Of these the agent reads what we print; of the others it could take it for words of the person.
    static func isHeard(_ event: String) -> Bool { isAwaited(event) || event == "PreToolUse" }

    /// An agent that is killed takes leave of nobody: its hooks are left behind with another parent.
    private static func agentWatch() -> () -> Bool {
        let parent = getppid()
        let agent = HostPaths.variable("CLAUDE_PID").flatMap { pid_t($0) }
        return {
            if getppid() != parent { return false }
            guard let agent, agent > 0 else { return true }
            return kill(agent, 0) == 0 || errno != ESRCH
        }
    }
}
