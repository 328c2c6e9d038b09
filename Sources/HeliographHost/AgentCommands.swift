/// What the commands that concern agents do, for each agent that is registered.
package enum AgentCommands {
    /// `heliograph hook AGENT EVENT`
    package static func hook(agent: String, event: String) -> Int32 {
        HookCall.run(agent: agent, event: event, hooks: RegisteredAgents.named(agent)?.hooks)
    }

    /// `heliograph statusline AGENT [--wrap COMMAND]`
    package static func statusLine(agent: String, wrapped: String?) -> Int32 {
        StatusLineCall.run(agent: agent, wrapped: wrapped, hooks: RegisteredAgents.named(agent)?.hooks)
    }

    package static func doctor(executable: String) -> HostDoctor {
        HostDoctor(executable: executable, agents: RegisteredAgents.all)
    }

    package static var connect: ConnectCommand { ConnectCommand(agents: RegisteredAgents.all) }
}
