import ArgumentParser
import Foundation
import Glibc
import HeliographHost
import HeliographServer
import RelayProtocol

/// `heliograph migrate`
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move everything that a relay keeps from its data folder to a PostgreSQL database, or back.",
        discussion: """
            Stop every relay on either side first: the command refuses a side where one runs, and a target that has data. All rows are \
            copied in one transaction, read back from both sides and compared; if anything differs, or the command is interrupted, \
            the target has nothing and the source is unchanged. Clients and hosts come back afterwards as if to the same relay, with \
            their tokens and positions.

              heliograph migrate /srv/relay postgresql://relay@db/relay
              heliograph serve --data /srv/relay --store postgresql://relay@db/relay

              heliograph migrate postgresql://relay@db/relay /srv/relay
              heliograph serve --data /srv/relay

            The data file gets a name that contains the time, and the folder notes the database. A database keeps its data; a relay that \
            starts on it once more begins another epoch, so that clients get everything again.

            Only data is moved, with the secret of notification codes and the key of browsers' pushes, which are files in a folder and rows \
            in a database. Everything else in the folder stays there, and has to be copied into the folder of each relay that uses it: \
            relay.json, push.json with its keys, profiles, certificates.
            """)

    @Argument(
        help:
            "Where the data is: a relay's data folder, or postgresql://[USER@]HOST[:PORT]/DATABASE. Its password: $PGPASSFILE.")
    var from: String

    @Argument(
        help:
            "Where to move it: the other of the two. A missing folder is created; a database has to exist, and be empty."
    )
    var to: String

    @Flag(
        help: "Print JSON, one object a table: its name, the rows and the digest of each side, and how many rows are damaged.")
    var json = false

    func run() throws {
        try Failure.reporting {
            let migration = try StoreMigration(from: place(from), to: place(to))
            let meter = Meter()
            defer { meter.end() }
            let report = try migration.run(meter.show)
            meter.end()
            json ? printJSON(report) : printText(report)
        }
    }

    private func place(_ said: String) throws -> StoreMigration.End {
        try StoreMigration.End(said) { DataOption.absolute($0) }
    }

    private func printJSON(_ report: StoreMigration.MigrationReport) {
        for table in report.tables {
            Output.json { writer in
                writer.field("table", table.name)
                writer.object("from") { Self.write(table.from, to: &$0) }
                writer.object("to") { Self.write(table.to, to: &$0) }
            }
        }
    }

    private static func write(_ side: StoreMigration.MovedSide, to writer: inout JSONWriter) {
        writer.field("rows", side.rows)
        writer.field("digest", side.digest)
        writer.field("damaged", side.damaged)
    }

    private func printText(_ report: StoreMigration.MigrationReport) {
        func line(_ words: [String]) {
            let widths = [15, 12, 12, 18, 18]
            let cells = zip(words, widths).enumerated().map { place, cell in
                let blanks = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
                return place == 1 || place == 2 ? blanks + cell.0 + "  " : cell.0 + blanks
            }
            print(String(cells.joined().reversed().drop { $0 == " " }.reversed()))
        }
        line(["table", "rows from", "rows to", "digest from", "digest to"])
        for table in report.tables {
            let (source, target) = (table.from, table.to)
            line([
                table.name, String(source.rows), String(target.rows), String(source.digest.prefix(16)),
                String(target.digest.prefix(16)),
            ])
        }
        print("Every row is the same on both sides.")
        let damaged = report.tables.reduce(0) { $0 + $1.from.damaged }
        if damaged > 0 { print("\(damaged) rows were damaged before, and are as they were: `heliograph doctor` names them.") }
        if let kept = report.kept { print("The data file is \(kept) now.") }
        print(
            """
            These are not data and stay where they are: relay.json, push.json with its keys, profiles and certificates.
            """)
    }
}

/// Shows the progress on a terminal.
private final class Meter {
    private static let isShown = isatty(STDERR_FILENO) == 1
    private static let interval = Duration.milliseconds(200)
    private var shown: ContinuousClock.Instant?

    func show(_ progress: StoreMigration.MoveStep) {
        guard Self.isShown, shown.map({ ContinuousClock.now - $0 > Self.interval }) ?? true else { return }
        shown = .now
        let verb = progress.isComparing ? "comparing" : "copying"
        write("\r\u{1b}[K\(verb) \(progress.table): \(progress.rows) of \(progress.rowsOfTable)")
    }

    func end() {
        guard shown != nil else { return }
        shown = nil
        write("\r\u{1b}[K")
    }

    private func write(_ text: String) {
        Output.complain(text)
    }
}
