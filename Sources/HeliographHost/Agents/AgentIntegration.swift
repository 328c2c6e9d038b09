internal import HeliographHook
internal import RelayAccess

/// All that this host does for one agent: one part for each point in which agents differ. An agent without a part lacks that
/// feature.
protocol AgentIntegration: SendableMetatype {
    /// The agent's name on the command line, which is also that of its adapter.
    static var name: String { get }
    /// The agent's name as its makers write it.
    static var title: String { get }

    static var daemon: DaemonPart? { get }
    static var connect: (any ConnectPart)? { get }
    static var start: StartPart? { get }

    /// Programs on this PATH that report without being connected, each as a sentence that says how.
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
