import ArgumentParser
import HeliographClient
import HeliographServer
import RelayProtocol

/// `heliograph config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the relay's settings, and where each comes from.",
        discussion: """
            Every setting can be a flag of `serve`, an environment variable, or a field of relay.json in the data directory. \
            A flag takes precedence over a variable, a variable over the file.

              heliograph config keys               every setting: flag, variable, default
              heliograph config show               what was set, and where
              heliograph config show --effective   with every default, too
            """,
        subcommands: [Show.self, Keys.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the settings that `serve` would take with the same flags.",
            discussion: """
                Takes every flag of `serve`, too. A value that cannot be used is an error that names the place; with it `serve` would not start.
                """)

        @OptionGroup var place: ServePlace
        @OptionGroup(visibility: .hidden) var options: ServeOptions

        @Flag(help: "Also show settings that nobody set.")
        var effective = false

        @Flag(help: "Print JSON: an object for each setting with key, value and source.")
        var json = false

        func run() throws {
            try Failure.reporting {
                let entries = try options.effective(at: place).entries.filter { effective || $0.source != .standard }
                if json {
                    for entry in entries {
                        Output.json { writer in
                            writer.field("key", entry.setting.key)
                            writer.field("value", entry.text)
                            writer.field("source", entry.source.description)
                        }
                    }
                    return
                }
                guard !entries.isEmpty else { return print("Nothing is set: see `heliograph config keys`.") }
                var table = TextTable([.init("Setting"), .init("Value"), .init("From")])
                table.rows = entries.map { entry in
                    [entry.setting.key, entry.text ?? "–", entry.source.description].map {
                        TextTable.Cell(VisibleText.line($0))
                    }
                }
                // Nothing is cut, because paths are for copying.
                table.lines(width: nil, palette: Palette(isColoured: false)).forEach { print($0) }
            }
        }
    }

    struct Keys: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print every setting.")

        func run() {
            for setting in Settings.all {
                print("\(setting.key)   \(setting.flag) <\(setting.valueName)>   $\(setting.variable)")
                print("    \(setting.abstract)\(setting.standard.map { " Default: \($0)." } ?? "")\n")
            }
        }
    }
}
