internal import AgentClaude
import Glibc

/// `heliograph hook AGENT EVENT`: what a coding agent runs at each of its events.
///
/// It is started before every tool call, so it must cost nothing: no Foundation, no JSON, no argument parser on this path.
/// Whatever goes wrong, it prints nothing and exits with 0: any other status could allow or block something in the agent.
package enum HookCall {
    package static func run(agent: String, event: String) -> Int32 {
        // A reader that is gone must show as an error, not kill us with a status of our own.
        signal(SIGPIPE, SIG_IGN)
        let paths = HostPaths()
        let isHeld = event == "PreToolUse" && HoldsFile(paths.stateDirectory).isThere
        var limits = HookLimits()
        if isHeld { limits.budget = limits.heldBudget }
        guard let input = HookStream.readInput(limits: limits),
            let request = HookRequest(
                path: ["hook", agent, event], body: input.bytes, isWhole: input.isWhole, call: HookRequest.randomCall())
        else {
            if isHeld { HookStream.write(ClaudeAnswer.ask) }
            return 0
        }
        var exchange = HookExchange(request: request, socketPath: paths.socket, limits: limits, isAgentAlive: agentWatch())
        // Only where the agent says so: one that says nothing may be waiting for us alone.
        exchange.isAttended = HostPaths.variable("CLAUDE_CODE_SESSION_ATTENDED") == "1"
        if isAwaited(event) {
            if let answer = exchange.ask() { HookStream.write(answer) }
            return 0
        }
        switch exchange.tell() {
        case .answered(let answer) where event == "PreToolUse": HookStream.write(answer)
        // Which session is held the daemon knows. Without it any could be, or who kills it would escape.
        case .unheard where isHeld: HookStream.write(ClaudeAnswer.ask)
        case .answered, .taken, .unheard: break
        }
        return 0
    }

    /// Only these wait for a person; SIGTERM ends them at once, and the daemon sees the hang-up.
    static func isAwaited(_ event: String) -> Bool { event == "PermissionRequest" }

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
