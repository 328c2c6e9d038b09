/// Programs that may get input from the command line itself: by a pipe, a here-document or a here-string.
///
/// Other programs may run what they read (`psql`, `ssh host`, `make -f -`), or change what it names (`git apply`).
enum InputReaders {
    /// Programs that only show, count or compare their input, or read none.
    private static let names: Set<String> = [
        "cat", "tac", "rev", "wc", "grep", "egrep", "fgrep", "rg", "head", "tail", "sort", "uniq", "cut", "tr", "nl", "fold",
        "fmt",
        "column", "paste", "comm", "join", "diff", "cmp", "jq", "tee", "base64", "base32", "xxd", "od", "hexdump", "strings",
        "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum",
        "echo", "printf", "true", "false", "test", "[", "ls", "pwd", "date", "basename", "dirname", "break", "continue",
    ]

    static func take(_ run: ProgramRun) -> Bool {
        guard let program = run.program.map(withoutFolder) else { return false }
        if names.contains(program) { return true }
        let arguments = run.words.dropFirst()
        guard arguments.allSatisfy(\.isKnown) else { return false }
        switch program {
        case "awk", "gawk", "mawk":
            return arguments.count == 1
                && arguments.allSatisfy { !InlineCode.runsInAwk($0.text) && !Wrappers.contains($0.text, "-") }
        case "sed":
            // A script of `e`, or with that flag, runs its input.
            return arguments.allSatisfy { $0.text == "-n" || $0.text.utf8.allSatisfy("0123456789,$!;pdq=".utf8.contains) }
        case "git": return arguments.map(\.text) == ["commit", "-F", "-"]
        default: return false
        }
    }

    private static func withoutFolder(_ program: String) -> String {
        for folder in ["/usr/bin/", "/bin/"] where program.hasPrefix(folder) { return String(program.dropFirst(folder.count)) }
        return program
    }
}
