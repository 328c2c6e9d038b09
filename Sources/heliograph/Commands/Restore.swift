import ArgumentParser
import Foundation
import Glibc
import HeliographServer
import RelayProtocol
import WebSocketEngine

/// `heliograph restore`
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace the relay's data file with a backup, or let the relay begin afresh.",
        discussion: """
            Stop the relay first. The backup is checked before anything is touched. An existing data file is never \
            overwritten: it gets a name that contains the time. Hosts and clients that were let in after the backup have to be \
            paired again; clients get everything again.

            Revoked tokens stay revoked, as far as the present data file can be read. Tokens of the backup about which it says nothing \
            would let somebody in again: they are named, and you are asked. With --as-is nothing says which tokens were revoked among \
            the events that are missing, so you are asked about all.

              heliograph restore backup.sqlite
              heliograph restore backup.sqlite --force   keep the present file aside
              heliograph restore --anew                  likewise, and begin afresh
              heliograph restore --as-is                 continue without the newest events

            A relay does not start if its data file is gone or empty while something of it is left, or if it has fewer events than the \
            relay before had: these commands say what to do then. The remains of a data file, above all its -wal, are kept like the file itself.
            """)

    @Argument(help: "The file that `heliograph backup` wrote.")
    var file: String?

    @OptionGroup var data: DataOption

    @Flag(help: "Restore although there is a data file, or what is left of one: it is kept under another name.")
    var force = false

    @Flag(help: "Do not ask about tokens that may have been revoked meanwhile.")
    var yes = false

    @Flag(help: "Restore nothing: keep the data file, or what is left of it, under another name and begin afresh.")
    var anew = false

    @Flag(help: "Restore nothing: continue with the present data file, although the last relay had more events.")
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
            try data.checkIsNamed()
            try Administration.checkAccess(to: data.path)
            let storage = Storage(directory: data.path)
            // Refused before the files are checked, none of which would help.
            try storage.refuseDatabase()
            // A backup may be restored into an empty folder; a mistyped folder has nothing to set aside or to continue with.
            guard file != nil || FileManager.default.fileExists(atPath: data.path) else {
                throw CommandError(.notFound, "There is nothing in \(data.path): it is not there.")
            }
            if let file, !FileManager.default.fileExists(atPath: file) {
                throw CommandError(.notFound, "There is no \(file).")
            }
            let cleanup = try Cleanup()
            cleanup.add { storage.removeDrafts() }
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
            if asIs { print("The next start continues with the data file as it is, and clients get everything again.") }
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
        return Input.isYes()
    }
}
