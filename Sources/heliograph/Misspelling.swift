import ArgumentParser
import HeliographPlatform
import RelayProtocol

/// Guesses the intended command for an unknown one.
enum Misspelling {
    /// Most wrong letters in a word; in a short word half of these.
    private static let wrongLettersMax = 2

    /// The command line as it was probably meant, with the wrong word; nil if every word is a command or none is close.
    static func correction(of arguments: [String], in root: any ParsableCommand.Type) -> (wrong: String, meant: String)? {
        var known = root
        var path = [root._commandName]
        for word in arguments {
            let commands = known.configuration.subcommands
            guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            if let next = commands.first(where: { Self.names(of: $0).contains(word) }) {
                known = next
                path.append(word)
                continue
            }
            let names = commands.filter { $0.configuration.shouldDisplay }.flatMap { Self.names(of: $0) }
            let meant = Spelling.nearest(to: word, in: names, distanceMax: min(wrongLettersMax, word.count / 2))
            return meant.map { (word, (path + [$0]).joined(separator: " ")) }
        }
        return nil
    }

    /// `help WORD` for a word that is no command.
    struct UnknownCommand: Error, CustomStringConvertible {
        let description: String
    }

    /// Checks the word after `help`. For an unknown command the parser would show the whole program's help.
    static func checkHelp(_ arguments: [String], in root: any ParsableCommand.Type) throws(UnknownCommand) {
        guard arguments.first == "help" else { return }
        var known = root
        for word in arguments.dropFirst() where !word.hasPrefix("-") {
            let commands = known.configuration.subcommands
            guard let next = commands.first(where: { names(of: $0).contains(word) }) else {
                if commands.isEmpty || word == "help" { return }
                let meant = correction(of: Array(arguments.dropFirst()), in: root).map { " Did you mean '\($0.meant)'?" } ?? ""
                throw UnknownCommand(description: "there is no command '\(VisibleText.line(word))'.\(meant)")
            }
            known = next
        }
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }
}
