import Glibc

/// `heliograph hook AGENT EVENT`: the program that a coding agent runs at each of its events.
///
/// It is started before every tool call, so it must cost nothing: no Foundation, no JSON, no argument parser on this path. After
/// any failure it prints nothing and exits with 0: any other status could allow or block something in the agent.
enum HookCall {
    /// Runs a hook. `hooks`: nil for an agent that is not registered.
    static func run(agent: String, event: String, hooks: HookPart?) -> Int32 {
        // A reader that is gone must cause an error, not a signal that ends us with another status.
        signal(SIGPIPE, SIG_IGN)
        guard let hooks else {
            // The input is read even so: an agent whose pipe breaks could take that for a failure.
            _ = HookStream.readInput(limits: HookLimits())
            return 0
        }
        let paths = HostPaths()
        let isHeld = event == hooks.beforeTool && HoldsMark.isThere(in: paths.stateDirectory)
        var limits = HookLimits()
        limits.glance = .milliseconds(1)
        if isHeld || event == hooks.beforeTool && RulesMark.isThere(in: paths.configDirectory) {
            limits.budget = limits.guardedBudget
        }
        var caller = HookCaller(of: hooks)
        caller.lookForRun(of: hooks)
        let input = HookStream.readInput(limits: limits)
        // In a `heliograph run`, that program asks, together with this hook or instead of it.
        let isOfRun = HostPaths.variable(hooks.run).map { $0 == HostPaths.variable(hooks.session) } ?? false
        if event == hooks.awaited, caller.isAttended, !isOfRun, let input {
            caller.dialogWaits = hooks.keepsDialogClosed(input.bytes)
        }
        // Checked before the daemon gets the event: a prompt that the agent is to return was none.
        if let input, let refusal = TerminalNotice.refusal(event: event, process: caller.process, payload: input.bytes) {
            HookStream.write(refusal)
            return 0
        }
        guard let input,
            let request = HookRequest(
                path: ["hook", agent, event], body: input.bytes, isWhole: input.isWhole, call: HookRequest.randomCall(),
                caller: caller)
        else {
            if isHeld { HookStream.write(hooks.ask(caller)) }
            return 0
        }
        var exchange = HookExchange(request: request, socketPath: paths.socket, limits: limits, isAgentAlive: watch(caller))
        exchange.isAttended = caller.isAttended
        if event == hooks.awaited {
            let answer = caller.dialogWaits ? askBeforeDialog(exchange, caller, orWait: true) : exchange.ask()
            if let answer { HookStream.write(answer) }
            return 0
        }
        if event == hooks.beforeDialog {
            if !isOfRun, let answer = askBeforeDialog(exchange, caller, orWait: false) { HookStream.write(answer) }
            return 0
        }
        switch exchange.tell() {
        case .answered(let answer) where event == hooks.beforeTool: HookStream.write(answer)
        // Only the daemon knows which sessions are held. Without its answer every call must ask, or killing the daemon would lift
        // the hold.
        case .unheard where isHeld: HookStream.write(hooks.ask(caller))
        case .unheard where event == LeftWord.event && input.isWhole && !isDaemonThere(paths.socket, limits):
            LeftWord.leave(input.bytes, agent: agent, event: event, in: paths.stateDirectory)
        case .answered, .taken, .unheard: break
        }
        return 0
    }

    /// Asks the clients until a key is pressed at the terminal, because the agent's own dialog opens when this returns. Nil for no
    /// decision.
    ///
    /// `orWait`: ask clients for a short time even if keys cannot be seen.
    private static func askBeforeDialog(_ exchange: HookExchange, _ caller: HookCaller, orWait: Bool) -> [UInt8]? {
        var exchange = exchange
        if caller.isAttended {
            let keys = TerminalKeys(of: caller.process)
            // A recent key means that a person is at the terminal; in a terminal of ours it may have been a client's prompt.
            let seesKeys = keys.map { caller.attended == HookCaller.run || !$0.isSomebodyThere } ?? false
            guard seesKeys || orWait else { return nil }
            let end = seesKeys ? nil : ContinuousClock.now + exchange.limits.unseenKeysWait
            let isAgentAlive = exchange.isAgentAlive
            exchange.isAgentAlive = { isAgentAlive() && keys?.werePressed != true && end.map { .now < $0 } != false }
            exchange.limits.keepDialogClosed()
        }
        // The agent's dialog is closed meanwhile, so that the agent waits for us alone.
        exchange.isAttended = false
        return exchange.ask()
    }

    /// True if a daemon listens. One that is slow or stopped may have received the event all the same.
    private static func isDaemonThere(_ path: String, _ limits: HookLimits) -> Bool {
        guard let socket = HookSocket(connectingTo: path, until: .now + limits.budget) else { return false }
        _ = consume socket
        return true
    }

    /// Returns a check whether the agent still lives. A killed agent reports nothing, but its hooks get another parent.
    private static func watch(_ caller: HookCaller) -> () -> Bool {
        let parent = getppid()
        let agent = caller.process.flatMap { pid_t($0) }
        return {
            if getppid() != parent { return false }
            guard let agent, agent > 0 else { return true }
            return kill(agent, 0) == 0 || errno != ESRCH
        }
    }
}
