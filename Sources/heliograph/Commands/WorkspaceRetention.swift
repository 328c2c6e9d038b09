import ArgumentParser
import RelayCore

/// `heliograph workspace retention`
struct WorkspaceRetention: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "See or set for how long a workspace's sessions are kept.",
        discussion: """
            Counted from when something last happened in a session. A workspace may keep them for less time than the relay \
            (`serve --keep-days`), never for more. Without --days it shows what is set.

              heliograph workspace retention Kitchen --days 14
              heliograph workspace retention Kitchen --days default
            """)

    @Argument(help: "Its name, or its id.")
    var workspace: String

    @Option(help: "Days, or default: as long as the relay keeps any.")
    var days: LimitOption?

    @OptionGroup var limits: WorkspaceLimitsOptions

    func validate() throws { try LimitOption.check(days, "--days", max: 36_500) }

    func run() throws {
        try limits.show(of: workspace, changed: days.map { days in { $0.keepDays = days.number } })
    }
}
