import ArgumentParser
import HeliographServer
import RelayProtocol

/// `heliograph backup`
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the relay's data file, while the relay runs or not.",
        discussion: """
            The copy is consistent, checked, and readable by its owner alone: it holds everything that agents wrote. A plain copy \
            of a file in use is none of that.

              heliograph backup /backups/heliograph-$(date +%F).sqlite
              heliograph restore /backups/heliograph-2026-11-21.sqlite
            """)

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup var data: DataOption

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try Failure.reporting {
            let bytes = try Storage(directory: data.path).backUp(to: file, replacing: force)
            if json {
                Output.json { writer in
                    writer.field("file", file)
                    writer.field("bytes", bytes)
                }
            } else {
                print("Wrote \(bytes) bytes to \(file).")
            }
        }
    }
}

/// `heliograph restore`
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the relay's data file, or have the relay begin afresh.",
        discussion: """
            Stop the relay first. The backup is checked before anything is touched. A data file that is there is never \
            overwritten: it gets a name with the time in it. Hosts and clients that were let in after the backup have to be \
            paired again; clients get everything anew.

              heliograph restore backup.sqlite
              heliograph restore backup.sqlite --force      keep the present data file under another name
              heliograph restore --anew                     the same, and the next start begins with nothing
              heliograph restore --as-is                    go on with a data file that lacks its newest events

            A relay does not start where its data file is gone, is empty, or has fewer events than the relay before had: one of these \
            says what shall be. What is left of a data file, its -wal above all, is kept as the file itself is.
            """)

    @Argument(help: "What `heliograph backup` wrote.")
    var file: String?

    @OptionGroup var data: DataOption

    @Flag(help: "Also where there is a data file, or what is left of one: it is kept under another name.")
    var force = false

    @Flag(help: "Restore nothing: keep the data file, or what is left of it, under another name and begin afresh.")
    var anew = false

    @Flag(help: "Restore nothing: go on with the data file that is there, though the last relay had more events.")
    var asIs = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard [file != nil, anew, asIs].count(where: { $0 }) == 1 else {
            throw ValidationError("Name the backup, or say --anew or --as-is.")
        }
    }

    func run() throws {
        try Failure.reporting {
            let storage = Storage(directory: data.path)
            var kept: String?
            if let file { kept = try storage.restore(file, replacing: force) }
            if anew { kept = try storage.setAside() }
            if asIs { try storage.acceptDataFile() }
            if json {
                Output.json { writer in
                    writer.field("restored", file)
                    writer.field("kept", kept)
                }
                return
            }
            if let file { print("Restored \(file).") }
            if let kept { print("The data file that was there is \(kept) now.") }
            if asIs { print("The next start goes on with the data file as it is, and clients get everything anew.") }
            if anew { print("The next start begins with nothing: pair clients and hosts again.") }
        }
    }
}
