import ArgumentParser

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
            """)

    @OptionGroup var options: WorkspaceRemovalOptions

    func run() throws { try options.run(erasing: true) }
}
