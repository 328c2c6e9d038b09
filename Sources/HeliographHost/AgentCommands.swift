/// Commands about agents, for each agent that is registered.
package enum AgentCommands {
    package static func doctor(executable: String) -> HostDoctor {
        HostDoctor(executable: executable, agents: RegisteredAgents.all)
    }

    package static var connect: ConnectCommand { ConnectCommand(agents: RegisteredAgents.all) }
}
