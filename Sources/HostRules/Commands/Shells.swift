/// Shells that take a command line as a string.
enum Shells {
    static let names: Set<String> = {
        let plain = ["sh", "bash", "zsh", "dash", "ksh"]
        return Set(plain + plain.map { "/bin/" + $0 } + plain.map { "/usr/bin/" + $0 })
    }()

    /// Shells by the last part of their path, with those whose language is another.
    static let baseNames: Set<String> = [
        "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "pwsh", "powershell.exe", "nu", "elvish",
        "xonsh",
    ]

    /// Programs that put their arguments together as a line of a shell, or give one of them to it.
    static let stringTakers: Set<String> = [
        "eval", "ssh", "su", "runuser", "sg", "watch", "env", "script", "trap", "parallel", "sem", "flock", "hyperfine", "entr",
        "tmux", "screen", "xargs", "sudo", "doas",
    ]

    /// The string after `-c`; nil if other options could change its meaning.
    static func string(_ arguments: [ShellWord]) -> String? {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.isKnown, word.text.hasPrefix("-") else { return nil }
            let letters = word.text.dropFirst()
            guard !letters.isEmpty, letters.allSatisfy({ "celux".contains($0) || $0 == "o" }) else { return nil }
            if letters.contains("o") {
                guard letters.last == "o", let option = rest.popFirst(), option.isKnown, option.text == "pipefail" else {
                    return nil
                }
                guard !letters.contains("c") else { return nil }
            }
            guard letters.contains("c") else { continue }
            // Options may also follow `-c`; the string is behind them.
            guard let string = rest.popFirst(), string.isKnown, !string.text.hasPrefix("-"), !string.text.hasPrefix("+") else {
                return nil
            }
            return string.text
        }
        return nil
    }

    /// True if there is no script argument, or perhaps none, so that the shell runs its input.
    static func readsInput(_ arguments: [ShellWord]) -> Bool {
        guard let operand = arguments.first(where: { !$0.isKnown || !$0.text.hasPrefix("-") }) else { return true }
        return !operand.isKnown || arguments.contains { $0.isKnown && $0.text.hasPrefix("-") }
    }
}
