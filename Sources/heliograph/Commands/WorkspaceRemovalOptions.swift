import ArgumentParser
import Glibc
import HeliographServer
import RelayCore
import RelayProtocol

/// Options and work of `heliograph workspace remove` and `delete`.
struct WorkspaceRemovalOptions: ParsableArguments {
    @Argument(help: "Its name, or its id.")
    var workspace: String

    @OptionGroup var data: DataOption

    @OptionGroup var database: DatabaseOption

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Removes the workspace. `erasing`: its audit log and all names too.
    func run(erasing: Bool) throws {
        try Failure.reporting {
            let administration = try database.open(beside: data)
            guard yes || isMeant(erasing) else { throw CommandError(.declined, "Nothing was removed.") }
            let removal = try administration.removeWorkspace(workspace, erasing: erasing)
            if json {
                Output.json { writer in
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
                    nobody gets into the workspace any more, but its data is NOT deleted yet: \(remains). A relay that runs goes on \
                    trying; `heliograph doctor\(data.flag)` says of how many removed workspaces there is data
                    """)
            }
            guard !json else { return }
            print(erasing ? "Deleted, with its audit log and all names." : "Removed, with its data.")
            if erasing {
                Output.remark(
                    administration.isInDatabase
                        ? "what PostgreSQL still has of it on its disk, in its WAL and in backups: see Operations, “Deletion that deletes”"
                        : "backups that were made before still have it, until you delete them; one that is restored loses it again"
                )
            }
        }
    }

    private func isMeant(_ erasing: Bool) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else {
            Output.remark("this deletes all that is in the workspace: say --yes")
            return false
        }
        let what = erasing ? ", all that is in it, and its audit log" : " and all that is in it"
        Output.remark("delete the workspace \(VisibleText.line(workspace))\(what)? [y/N]")
        return Input.isYes()
    }
}
