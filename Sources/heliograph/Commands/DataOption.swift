import ArgumentParser
import Foundation
import HeliographHost
import HeliographPlatform

/// `--data`: where the relay keeps its file.
struct DataOption: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp(
            "The relay's data directory. Default: $HELIOGRAPH_DATA, else ~/.local/share/heliograph.", valueName: "folder"))
    var given: String?

    /// `--data "$FOLDER"` without such a variable would be the folder that the command is run in.
    func validate() throws {
        if given?.isEmpty == true { throw ValidationError("--data names no folder: it is empty.") }
    }

    /// Absolute, whatever folder it was given from: a socket's address is.
    var path: String { Self.absolute(chosen) }

    static func absolute(_ path: String) -> String {
        let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        let whole = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + relative
        // Several slashes at the beginning are one, as in `/` itself: a socket's address begins with no more.
        return "/" + whole.drop { $0 == "/" }
    }

    /// What a command for the same relay needs besides its name: nothing, or ` --data FOLDER`.
    var flag: String { given == nil ? "" : " --data \(ShellWords.word(path))" }

    private var chosen: String {
        if let given { return given }
        if let named = Environment.value("HELIOGRAPH_DATA") { return named }
        // A path that is not absolute does not count, as the XDG specification asks: it would be another folder for each command.
        if let base = Environment.value("XDG_DATA_HOME"), base.hasPrefix("/") { return "\(base)/heliograph" }
        return "\(Environment.value("HOME") ?? UserRecord.home)/.local/share/heliograph"
    }
}
