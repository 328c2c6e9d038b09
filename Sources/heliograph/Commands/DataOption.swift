import ArgumentParser
import Foundation
import HeliographHost
import HeliographPlatform
import HeliographServer

/// `--data`: the folder of the relay's file.
struct DataOption: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp(
            "The relay's data directory. Default: $HELIOGRAPH_DATA, else that of heliograph up, else ~/.local/share/heliograph, else that of the package.",
            valueName: "folder"))
    var given: String?

    /// `--data "$FOLDER"` with an unset variable would otherwise mean the working folder.
    func validate() throws {
        if given?.isEmpty == true { throw ValidationError("--data names no folder: it is empty.") }
    }

    /// The absolute path, because a socket's address has to be absolute.
    var path: String { Self.absolute(chosen) }

    static func absolute(_ path: String) -> String {
        // Several slashes at the beginning become one, because a socket's address begins with no more.
        guard !path.hasPrefix("/") else { return "/" + path.drop { $0 == "/" } }
        // No part of the working folder's path is a link, so `..` may shorten it: a socket's address has room for little.
        var folder = FileManager.default.currentDirectoryPath.split(separator: "/")
        var rest = path.split(separator: "/")[...]
        while let first = rest.first, first == "." || first == ".." {
            if first == ".." { _ = folder.popLast() }
            rest.removeFirst()
        }
        return "/" + (folder + rest).joined(separator: "/")
    }

    /// Option that names the same relay in another command: empty, or ` --data FOLDER`.
    var flag: String { given == nil ? "" : " --data \(ShellWords.word(path))" }

    /// For commands that start a relay or replace its data: throws if the package's folder would be used without being named.
    func checkIsNamed() throws {
        guard given == nil, Environment.value("HELIOGRAPH_DATA") == nil, path == Self.packaged else { return }
        throw ValidationError(
            "The relay here is the package's: “systemctl start heliograph” starts it. Name the folder that you mean: --data \(Self.packaged), "
                + "or another for a relay of your own.")
    }

    /// The folder without `--data`.
    static var standard: String { absolute(chosen(nil)) }

    /// The packaged relay's folder, used by root's commands as long as root has no folder of its own.
    private static let packaged = "/var/lib/heliograph"

    private var chosen: String { Self.chosen(given) }

    private static func chosen(_ given: String?) -> String {
        if let given { return given }
        if let named = Environment.value("HELIOGRAPH_DATA") { return named }
        if let running = (try? BackgroundRecord.loadLast())?.part(.relay)?.value(of: "--data") { return running }
        let own = ofHome
        return !Administration.isSetUp(in: own) && Administration.isSetUp(in: packaged) ? packaged : own
    }

    /// The folder in this home.
    static var ofHome: String {
        // A relative path does not count, as the XDG specification asks: it would be another folder for each command.
        if let base = Environment.value("XDG_DATA_HOME"), base.hasPrefix("/") { return "\(base)/heliograph" }
        return "\(Environment.value("HOME") ?? UserRecord.home)/.local/share/heliograph"
    }
}
