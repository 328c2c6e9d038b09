/// Arguments of `heliograph run -- claude ARGS`: the person's own, and those that open the channel to the agent.
package struct ControlArguments: Sendable, Equatable {
    /// Claude Code's own name of the session.
    package let session: String
    package let isResumed: Bool
    /// True if another settings file is given, so that ours cannot be added.
    package let hasSettings: Bool
    private let own: [String]

    /// `fresh`: the session's name unless one is resumed. Throws a sentence about an argument that is not permitted.
    package init(_ arguments: [String], fresh: String) throws(ControlError) {
        var own: [String] = []
        var resumed: String?
        var hasSettings = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let name = String(argument.prefix { $0 != "=" })
            let value =
                argument.contains("=")
                ? String(argument[argument.index(after: argument.firstIndex(of: "=") ?? argument.startIndex)...]) : nil
            // Combined short options are refused: `-pc` is `-p -c`, and `-r8c1f` is `-r 8c1f`.
            guard argument.hasPrefix("--") || !argument.hasPrefix("-") || name.count <= 2 else {
                throw ControlError("write \(argument) as options of their own")
            }
            switch name {
            case "-r", "--resume":
                guard let id = value ?? rest.popFirst(), Self.isUUID(id) else {
                    throw ControlError("name the session to resume by its whole id: --resume 8c1f…")
                }
                resumed = id.lowercased()
            case "-c", "--continue": throw ControlError("name the session instead of \(name): --resume ID")
            case _ where Self.ours.contains(name): throw ControlError("\(name) is for heliograph to set")
            case _ where Self.elsewhere.contains(name):
                throw ControlError("\(name) makes another session than the one that is run")
            default:
                if name == "--settings" { hasSettings = true }
                own.append(argument)
            }
        }
        self.own = own
        session = resumed ?? fresh
        isResumed = resumed != nil
        self.hasSettings = hasSettings
    }

    /// Arguments for the control protocol, which only heliograph sets.
    private static let ours: Set<String> = [
        "-p", "--print", "--input-format", "--output-format", "--permission-prompt-tool", "--session-id",
        "--replay-user-messages",
        "--no-session-persistence",
    ]
    private static let elsewhere: Set<String> = ["--fork-session", "--bg", "--background", "--worktree", "-w", "--tmux"]

    /// The whole command. `settings`: our hooks, if the person has not connected them.
    package func command(_ program: String, settings: [UInt8]?) -> [String] {
        var command = [program, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        command += [
            "--replay-user-messages", "--permission-prompt-tool", "stdio", isResumed ? "--resume" : "--session-id", session,
        ]
        if let settings { command += ["--settings", String(decoding: settings, as: UTF8.self)] }
        return command + own
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy { $0.isHexDigit && $0.isASCII } }
    }
}

/// An argument that is not permitted, as a sentence for the person who typed it.
package struct ControlError: Error, Equatable {
    package let message: String

    init(_ message: String) { self.message = message }
}
