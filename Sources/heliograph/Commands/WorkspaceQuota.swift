import ArgumentParser
import RelayCore

/// `heliograph workspace quota`
struct WorkspaceQuota: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "See or set how much of the relay a workspace may use.",
        discussion: """
            Without options it shows the workspace's limits. Whatever is not set here is as the relay's settings say for each \
            workspace; `default` goes back to that. A relay that runs follows at once. Its people hear when a limit is reached: \
            the page, `heliograph watch` and the host's log say which.

              heliograph workspace quota Kitchen
              heliograph workspace quota Kitchen --megabytes 512 --sessions 500
              heliograph workspace quota Kitchen --pushes default
            """)

    @Argument(help: "Its name, or its id.")
    var workspace: String

    @Option(help: "Sessions kept; a new one takes the place of ended ones.")
    var sessions: LimitOption?

    @Option(help: "Megabytes of events kept; the oldest make room.")
    var megabytes: LimitOption?

    @Option(help: "Pushes sent in a day, by UTC.")
    var pushes: LimitOption?

    @Option(help: "Connections of hosts, pages and terminals at once.")
    var connections: LimitOption?

    @OptionGroup var limits: WorkspaceLimitsOptions

    func validate() throws {
        try LimitOption.check(sessions, "--sessions", max: 1_000_000)
        try LimitOption.check(megabytes, "--megabytes", max: 1 << 30)
        try LimitOption.check(pushes, "--pushes", max: 10_000_000)
        try LimitOption.check(connections, "--connections", max: 1_000_000)
    }

    func run() throws {
        let isSet = [sessions, megabytes, pushes, connections].contains { $0 != nil }
        try limits.show(of: workspace, changed: isSet ? { change(&$0) } : nil)
    }

    private func change(_ limits: inout WorkspaceLimits) {
        if let sessions { limits.sessions = sessions.number }
        if let megabytes { limits.megabytes = megabytes.number }
        if let pushes { limits.pushesPerDay = pushes.number }
        if let connections { limits.connections = connections.number }
    }
}
