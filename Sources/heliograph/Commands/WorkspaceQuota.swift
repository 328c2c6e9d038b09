import ArgumentParser
import HeliographServer
import RelayCore
import RelayProtocol

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

    @OptionGroup var data: DataOption

    @OptionGroup var database: DatabaseOption

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        try LimitOption.check(sessions, "--sessions", max: 1_000_000)
        try LimitOption.check(megabytes, "--megabytes", max: 1 << 30)
        try LimitOption.check(pushes, "--pushes", max: 10_000_000)
        try LimitOption.check(connections, "--connections", max: 1_000_000)
    }

    func run() throws {
        try Failure.reporting {
            let administration = try database.open(beside: data)
            let named = try administration.workspace(workspace)
            let isSet = [sessions, megabytes, pushes, connections].contains { $0 != nil }
            var limits = try administration.workspaceLimits()[named.id] ?? WorkspaceLimits()
            if isSet {
                limits = try administration.changeLimits(of: named) { limits in
                    if let sessions { limits.sessions = sessions.number }
                    if let megabytes { limits.megabytes = megabytes.number }
                    if let pushes { limits.pushesPerDay = pushes.number }
                    if let connections { limits.connections = connections.number }
                }
            }
            limits.show(of: named, json: json)
        }
    }
}

extension WorkspaceLimits {
    func show(of workspace: Named<WorkspaceTag>, json: Bool) {
        if json {
            return Output.json { writer in
                workspace.write(to: &writer)
                writer.object("limits") { write(to: &$0) }
            }
        }
        func line(_ what: String, _ value: Int?) {
            print("\(what.padded(to: 20))\(value.map { "\($0)" } ?? "default")")
        }
        print(VisibleText.line(workspace.name))
        line("sessions", sessions)
        line("megabytes", megabytes)
        line("pushes a day", pushesPerDay)
        line("connections", connections)
        line("days kept", keepDays)
    }

    /// Only those that the workspace has of its own.
    func write(to writer: inout JSONWriter) {
        writer.field("sessions", sessions.map { Int64($0) })
        writer.field("megabytes", megabytes.map { Int64($0) })
        writer.field("pushesPerDay", pushesPerDay.map { Int64($0) })
        writer.field("connections", connections.map { Int64($0) })
        writer.field("keepDays", keepDays.map { Int64($0) })
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
