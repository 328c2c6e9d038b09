internal import RelayProtocol

/// A command as Codex runs it, and as people typed it, because Codex passes every command to a shell.
enum CodexCommand {
    /// The command in a shell's single quotes, if nothing in it would be read differently; else the whole line. For titles only: people
    /// decide on the whole.
    static func plain(_ command: String) -> String {
        for shell in ["bash", "sh", "zsh"] {
            for folder in ["/bin/", "/usr/bin/", ""] {
                for flag in ["-lc", "-c"] {
                    let start = "\(folder)\(shell) \(flag) '"
                    guard command.hasPrefix(start), command.hasSuffix("'"), command.utf8.count > start.utf8.count + 1 else {
                        continue
                    }
                    let inner = command.dropFirst(start.count).dropLast()
                    if !inner.contains("'") { return String(inner) }
                }
            }
        }
        return command
    }
}
