import ArgumentParser
import HeliographServer

/// `heliograph cluster`
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Maintain the database that several relays share.",
        subcommands: [NewEpoch.self])

    struct NewEpoch: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new-epoch",
            abstract: "After a restore of the database, let the next relay begin another epoch.",
            discussion: """
                A relay notices by itself that its database is another one, or was promoted. It cannot notice that somebody has replaced it \
                by an older state, and clients would continue at positions that now mean something else. Stop every relay first; if one \
                still holds the log, nothing is changed. Afterwards clients get everything again.

                  heliograph cluster new-epoch --data /var/lib/heliograph
                """)

        @OptionGroup var data: DataOption

        func run() throws {
            try Failure.reporting {
                let address = try Storage(directory: data.path).beginNewEpoch()
                print("The next relay on \(address) begins another epoch; clients get everything again.")
            }
        }
    }
}
