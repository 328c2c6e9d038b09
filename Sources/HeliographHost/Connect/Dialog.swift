import Glibc
internal import HeliographHook

/// Questions to the person at the terminal, and their answers.
enum Dialog {
    static var hasTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    static func say(_ text: String) { HookStream.write(Array(text.utf8)) }

    enum Answer { case yes, details, no }

    /// The person's answer; the end of input is no.
    static func answer() -> Answer {
        switch readLine()?.lowercased() {
        case "y", "yes": .yes
        case "d", "diff": .details
        default: .no
        }
    }

    static func answeredYes() -> Bool { answer() == .yes }
}
