import ArgumentParser
import Foundation
import HeliographHost

/// `--data`: where the relay keeps its file.
struct DataOption: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp(
            "The relay's data directory. Default: $HELIOGRAPH_DATA, else ~/.local/share/heliograph.", valueName: "folder"))
    var given: String?

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
        if let base = Environment.value("XDG_DATA_HOME") { return "\(base)/heliograph" }
        return "\(Environment.value("HOME") ?? ".")/.local/share/heliograph"
    }
}
