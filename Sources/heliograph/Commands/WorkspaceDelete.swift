import ArgumentParser
import HeliographServer

/// `heliograph workspace delete`
struct WorkspaceDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a workspace, its audit log and all names in it.",
        discussion: """
            As `remove`, and nothing is left to say whose it was: the audit log goes, and so do the names of the workspace, its hosts \
            and its devices. The data file's pages are overwritten. Of its tokens their digests stay, revoked, so that no backup lets \
            anybody in. The id of a workspace that was removed before can be given, too.

              heliograph workspace delete Kitchen
              heliograph workspace delete --registered-from 2001:db8::/48
            """)

    @Argument(help: "Its name, or its id.")
    var workspace: String?

    @Option(
        help: ArgumentHelp("Instead: all that were registered from a network.", valueName: "network"))
    var registeredFrom: String?

    @OptionGroup var options: WorkspaceRemovalOptions

    func validate() throws {
        guard (workspace == nil) != (registeredFrom == nil) else {
            throw ValidationError("Name the workspace, or say --registered-from.")
        }
        if let registeredFrom, !Administration.isNetwork(registeredFrom) {
            throw ValidationError("--registered-from takes an address or a network, such as 2001:db8::/48.")
        }
    }

    func run() throws {
        if let registeredFrom { return try options.delete(registeredFrom: registeredFrom) }
        if let workspace { try options.remove(workspace, erasing: true) }
    }
}
