internal import HeliographHook
internal import RelayAccess

/// All that this host does for one agent: a part for each place in which agents differ. What an agent has no part for, it does not do.
protocol AgentIntegration: SendableMetatype {
    /// The name on the command line and of the adapter.
    static var name: String { get }
    /// The agent's name as its makers write it.
    static var title: String { get }

    static var daemon: DaemonPart? { get }
    static var connect: (any ConnectPart)? { get }
    static var start: StartPart? { get }

    /// Programs on this PATH that report without being connected, and how: a sentence each.
    static var others: [String] { get }

    /// The doctor's findings here. Blocks for as long as the agent takes to answer.
    static func findings(_ paths: HostPaths, executable: String) -> [Finding]
}

extension AgentIntegration {
    static var daemon: DaemonPart? { nil }
    static var connect: (any ConnectPart)? { nil }
    static var start: StartPart? { nil }
    static var others: [String] { [] }
    static func findings(_ paths: HostPaths, executable: String) -> [Finding] { [] }
}
