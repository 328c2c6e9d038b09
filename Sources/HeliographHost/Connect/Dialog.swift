import Glibc
internal import HeliographHook

/// Questions to the person at the terminal, and their answers.
enum Dialog {
    static var hasTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    static func say(_ text: String) { HookStream.write(Array(text.utf8)) }

    static func answeredYes() -> Bool { ["y", "yes"].contains(readLine()?.lowercased()) }
}
