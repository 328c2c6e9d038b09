internal import HeliographHook

/// A command line of ours in Claude Code's settings, recognised by its shape: one of our two programs, followed by our words.
enum ClaudeCommand: Equatable {
    case hook(executable: String, event: String)
    case statusLine(executable: String, wrapped: String?)

    static let programs = ["heliograph", HookProgram.name]

    /// Nil if the command is not ours.
    init?(_ command: String) {
        guard let words = ShellWords.split(command), let executable = words.first,
            executable.split(separator: "/").last.map({ Self.programs.contains(String($0)) }) == true
        else { return nil }
        switch Array(words.dropFirst()) {
        case let rest where rest.count == 3 && rest[0] == "hook" && rest[1] == "claude":
            self = .hook(executable: executable, event: rest[2])
        case ["statusline", "claude"]:
            self = .statusLine(executable: executable, wrapped: nil)
        case let rest where rest.count == 4 && rest[0] == "statusline" && rest[1] == "claude" && rest[2] == "--wrap":
            self = .statusLine(executable: executable, wrapped: rest[3])
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .hook(let executable, let event): "\(ShellWords.quoted(executable)) hook claude \(event)"
        case .statusLine(let executable, nil): "\(ShellWords.quoted(executable)) statusline claude"
        case .statusLine(let executable, let wrapped?):
            "\(ShellWords.quoted(executable)) statusline claude --wrap \(ShellWords.quoted(wrapped))"
        }
    }

    /// True if the settings contain our command's words.
    static func isNamed(in settings: [UInt8]) -> Bool { String(decoding: settings, as: UTF8.self).contains("hook claude ") }
}
