import ArgumentParser
import Glibc
import HeliographServer
import RelayProtocol

/// `heliograph restore`
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the relay's data file, or have the relay begin afresh.",
        discussion: """
            Stop the relay first. The backup is checked before anything is touched. A data file that is there is never \
            overwritten: it gets a name with the time in it. Hosts and clients that were let in after the backup have to be \
            paired again; clients get everything anew.

            What was revoked stays revoked, as far as the present data file can be read. Tokens of the backup that it knows nothing of \
            let somebody in again: they are named, and you are asked. With --as-is nothing says which tokens were revoked among \
            the events that are missing, so you are asked about all.

              heliograph restore backup.sqlite
              heliograph restore backup.sqlite --force   keep the present file aside
              heliograph restore --anew                  likewise, and begin afresh
              heliograph restore --as-is                 go on without the newest events

            A relay does not start where its data file is gone, is empty, or has fewer events than the relay before had: one of these \
            says what to do. What is left of a data file, its -wal above all, is kept as the file itself is.
            """)

    @Argument(help: "What `heliograph backup` wrote.")
    var file: String?

    @OptionGroup var data: DataOption

    @Flag(help: "Also where there is a data file, or what is left of one: it is kept under another name.")
    var force = false

    @Flag(help: "Do not ask about tokens that may have been revoked meanwhile.")
    var yes = false

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
            let restored = try file.map { try storage.restore($0, replacing: force, mayComeBack: mayComeBack) }
            let kept = try anew ? storage.setAside() : restored?.kept
            if asIs { try storage.acceptDataFile(mayComeBack: mayComeBack) }
            if json {
                Output.json { writer in
                    writer.field("restored", file)
                    writer.field("kept", kept)
                    if let restored { writer.strings("stillRevoked", restored.stillRevoked) }
                }
                return
            }
            if let file { print("Restored \(file).") }
            if let kept { print("The data file that was there is \(kept) now.") }
            if let restored, !restored.stillRevoked.isEmpty {
                print("Revoked since the backup, and still: \(restored.stillRevoked.joined(separator: ", "))")
            }
            if asIs { print("The next start goes on with the data file as it is, and clients get everything anew.") }
            if anew { print("The next start begins with nothing: pair clients and hosts again.") }
        }
    }

    private func mayComeBack(_ tokens: [Storage.Returning]) -> Bool {
        Output.remark("nothing here says whether these tokens were revoked since; each lets somebody in again:")
        for token in tokens { Output.remark("  \(token.id)  \(token.role)  \(VisibleText.line(token.name))") }
        if yes { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            Output.remark("say --yes to let them, and revoke with `heliograph token revoke` before you start the relay")
            return false
        }
        Output.remark(asIs ? "go on with it? [y/N]" : "restore it? [y/N]")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }
}
