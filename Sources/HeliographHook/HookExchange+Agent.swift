extension HookExchange {
    /// Makes a `POST /v1/agent/WHAT`, for which no tool call waits. The daemon has `budget` to take it and to answer, and
    /// `transferMax` for a large one.
    package init(
        agent what: String, _ body: [UInt8], caller: HookCaller = HookCaller(), socketPath: String, budget: Duration,
        transferMax: Duration? = nil, isAgentAlive: @escaping () -> Bool = { true }
    ) {
        guard
            let request = HookRequest(path: ["agent"] + what.split(separator: "/").map(String.init), body: body, caller: caller)
        else { preconditionFailure("the path is made of plain words") }
        var limits = HookLimits()
        limits.budget = budget
        limits.transferMax = transferMax ?? budget
        self.init(request: request, socketPath: socketPath, limits: limits, isAgentAlive: isAgentAlive)
    }
}
