import ArgumentParser
import Glibc

/// `--data`: where the relay keeps its file.
struct DataOption: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp(
            "The relay's data directory. Default: $HELIOGRAPH_DATA, else ~/.local/share/heliograph.", valueName: "folder"))
    var given: String?

    var path: String {
        if let given { return given }
        if let named = Environment.value("HELIOGRAPH_DATA") { return named }
        if let base = Environment.value("XDG_DATA_HOME") { return "\(base)/heliograph" }
        return "\(Environment.value("HOME") ?? ".")/.local/share/heliograph"
    }
}
