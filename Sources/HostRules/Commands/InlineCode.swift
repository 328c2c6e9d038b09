/// Code in a command's arguments, in which a program can put a command or a file's name together from pieces.
enum InlineCode {
    /// Editors and debuggers with a language of their own.
    private static let others: Set<String> = [
        "vi", "vim", "nvim", "view", "ex", "emacs", "emacsclient", "gdb", "lldb", "expect", "osascript", "m4",
    ]

    private static let modules: Set<String> = [
        "pytest", "unittest", "pip", "venv", "mypy", "json.tool", "http.server", "build",
    ]

    static func isCode(_ arguments: ArraySlice<ShellWord>, of program: String) -> Bool {
        switch program {
        case "awk", "gawk", "mawk", "nawk":
            return arguments.contains { runsInAwk($0.text) }
        case "sed", "gsed": return !SedScript.isPlain(arguments)
        default:
            // `python3 -m pytest` is a program by its name.
            if arguments.first?.text == "-m", let module = arguments.dropFirst().first, modules.contains(module.text) {
                return false
            }
            let isScript = arguments.first.map { !$0.text.hasPrefix("-") && !["eval", "repl"].contains($0.text) } ?? true
            guard others.contains(program) || (StarLimits.isInterpreter(program) && !isScript) else { return false }
            return arguments.contains { !$0.isKnown || !$0.text.utf8.allSatisfy(isPlain) }
        }
    }

    /// True if a script of awk may run commands, with `system`, a pipe, `getline` or an indirect call.
    static func runsInAwk(_ script: String) -> Bool {
        ["system", "|", "getline", "@"].contains { Wrappers.contains(script, $0) }
    }

    /// True for bytes of names, paths and options. Code that makes a text out of others has more.
    private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "_./:=,+-".utf8.contains(byte) }
}
