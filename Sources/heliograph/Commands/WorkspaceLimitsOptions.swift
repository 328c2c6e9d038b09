import ArgumentParser
import HeliographServer
import RelayCore
import RelayProtocol

/// Options that `heliograph workspace quota` and `retention` share, and their result: the workspace's limits as they are then.
struct WorkspaceLimitsOptions: ParsableArguments {
    @OptionGroup var data: DataOption

    @OptionGroup var database: DatabaseOption

    @Flag(help: "Print JSON.")
    var json = false

    func show(of workspace: String, changed change: ((inout WorkspaceLimits) -> Void)?) throws {
        try Failure.reporting {
            let administration = try database.open(beside: data)
            let named = try administration.workspace(workspace)
            let limits =
                if let change {
                    try administration.changeLimits(of: named, change)
                } else {
                    try administration.workspaceLimits()[named.id] ?? WorkspaceLimits()
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

    /// Writes only the workspace's own limits.
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
