import ArgumentParser
import HeliographServer

/// `heliograph cluster`
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Look after the database that several relays share.",
        subcommands: [NewEpoch.self])

    struct NewEpoch: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new-epoch",
            abstract: "After a restore of the database: have the next relay begin another epoch.",
            discussion: """
                A relay notices by itself that its database is another one, or was promoted. That somebody has put an older state in its \
                place it cannot see, and clients would go on at positions that mean something else now. Stop every relay first; one that \
                holds the log is noticed, and nothing is changed. Clients then get everything anew.

                  heliograph cluster new-epoch --data /var/lib/heliograph
                """)

        @OptionGroup var data: DataOption

        func run() throws {
            try Failure.reporting {
                let address = try Storage(directory: data.path).beginNewEpoch()
                print("The next relay on \(address) begins another epoch; clients get everything anew.")
            }
        }
    }
}
