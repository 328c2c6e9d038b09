import ArgumentParser
import HeliographServer
import RelayProtocol
import WebSocketEngine

/// `heliograph backup`
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the relay's data file, while the relay runs or not.",
        discussion: """
            The copy is consistent, checked, and readable by its owner alone: it holds everything that agents wrote. A plain copy \
            of a file in use is neither consistent nor checked.

              heliograph backup /backups/heliograph-$(date +%F).sqlite
              heliograph restore /backups/heliograph-2026-11-21.sqlite
            """)

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup var data: DataOption

    @Flag(help: "Replace the file if it is there; a relay's own files are never replaced.")
    var force = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if file.isEmpty { throw ValidationError("Name the file to write.") }
    }

    func run() throws {
        try Failure.reporting {
            let storage = Storage(directory: data.path)
            let cleanup = try Cleanup()
            cleanup.add { [file] in storage.removeDrafts(ofBackup: file) }
            let bytes = try storage.backUp(to: file, replacing: force)
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
