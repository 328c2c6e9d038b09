import ArgumentParser
import Glibc
import HeliographServer
import RelayCore
import RelayProtocol

/// Options and work of `heliograph workspace remove` and `delete`.
struct WorkspaceRemovalOptions: ParsableArguments {
    @OptionGroup var data: DataOption

    @OptionGroup var database: DatabaseOption

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Removes the workspace. `erasing`: its audit log and all names too.
    func remove(_ workspace: String, erasing: Bool) throws {
        try Failure.reporting {
            try run("the workspace \(VisibleText.line(workspace))", erasing, on: database.open(beside: data)) {
                try $0.removeWorkspace(workspace, erasing: erasing)
            }
        }
    }

    func delete(registeredFrom network: String) throws {
        try Failure.reporting {
            let administration = try database.open(beside: data)
            let workspaces = try administration.workspaces(registeredFrom: network)
            guard !workspaces.isEmpty else {
                throw CommandError(.notFound, "No workspace was registered from \(network).")
            }
            try run("\(workspaces.count) workspaces registered from \(network)", true, on: administration) {
                try $0.deleteWorkspaces(workspaces)
            }
        }
    }

    private func run(
        _ what: String, _ erasing: Bool, on administration: Administration,
        _ remove: (Administration) throws -> Administration.WorkspaceRemoval
    ) throws {
        guard yes || isMeant(what, erasing) else { throw CommandError(.declined, "Nothing was removed.") }
        let removal = try remove(administration)
        if json {
            Output.json { writer in
                writer.strings("workspaces", removal.workspaces.map(\.rawValue))
                writer.array("revoked", removal.tokens.map(\.named))
                writer.flag("dataIsGone", removal.remains == nil)
            }
        } else {
            for token in removal.tokens {
                print("revoked  \(token.id)  \(token.role)  \(VisibleText.line(token.name))")
            }
        }
        if let remains = removal.remains {
            throw CommandError(
                .unwritten,
                """
                nobody gets into \(what) any more, but the data is NOT deleted yet: \(remains). A relay that runs goes on \
                trying; `heliograph doctor\(data.flag)` says of how many removed workspaces there is data
                """)
        }
        guard !json else { return }
        let isOne = removal.workspaces.count == 1
        print(
            erasing
                ? "Deleted\(isOne ? "" : " \(removal.workspaces.count) workspaces"), with \(isOne ? "its audit log" : "their audit logs") and all names."
                : "Removed, with its data.")
        if erasing {
            Output.remark(
                administration.isInDatabase
                    ? "what PostgreSQL still has on its disk, in its WAL and in backups: see Operations, “Deletion that deletes”"
                    : "backups that were made before still have this, until you delete them; one that is restored loses it again"
            )
        }
    }

    private func isMeant(_ what: String, _ erasing: Bool) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else {
            Output.remark("this deletes \(what) and all that is there: say --yes")
            return false
        }
        let more = erasing ? ", all that is there, and the audit log" : " and all that is in it"
        Output.remark("delete \(what)\(more)? [y/N]")
        return Input.isYes()
    }
}
