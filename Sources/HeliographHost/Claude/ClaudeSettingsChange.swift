internal import RelayProtocol

/// Describes a change of Claude Code's settings in a few sentences.
enum ClaudeSettingsChange {
    /// The sentences; empty if no part of ours differs.
    static func sentences(from old: [UInt8]?, to new: [UInt8]?) -> [String] {
        let (before, after) = (Parts(old), Parts(new))
        var sentences: [String] = []
        let (gone, added) = (
            before.hooks.keys.filter { after.hooks[$0] == nil }, after.hooks.keys.filter { before.hooks[$0] == nil }
        )
        let renewed = after.hooks.filter { before.hooks[$0.key] != nil && before.hooks[$0.key] != $0.value }
        let program = after.hooks.first?.value ?? ""
        if !added.isEmpty { sentences.append("adds \(count(added.count, "hook")), each of which calls \(program)") }
        if !renewed.isEmpty { sentences.append("lets \(count(renewed.count, "hook")) call \(program) from now on") }
        if !gone.isEmpty { sentences.append("removes \(count(gone.count, "hook"))") }
        switch (before.statusLine, after.statusLine) {
        case (nil, .some(let line)) where line.isWrapping:
            sentences.append("has Heliograph see what your status line sees, too")
        case (nil, .some): sentences.append("adds a status line")
        case (.some(let line), nil):
            sentences.append(line.isWrapping ? "gives your status line back" : "removes the status line")
        case (.some(let line), .some(let next)) where line != next:
            sentences.append("lets the status line call \(next.executable)")
        default: break
        }
        if before.hasTodoTools != after.hasTodoTools {
            sentences.append(after.hasTodoTools ? "turns on the todo tools" : "turns off the todo tools")
        }
        let (asked, dropped) = (
            after.rules.filter { !before.rules.contains($0) }, before.rules.filter { !after.rules.contains($0) }
        )
        if !asked.isEmpty { sentences.append("makes it ask before: \(asked.joined(separator: ", "))") }
        if !dropped.isEmpty { sentences.append("no longer makes it ask before: \(dropped.joined(separator: ", "))") }
        return sentences
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// Our parts of a settings file.
    private struct Parts {
        struct StatusLine: Equatable {
            let executable: String
            let isWrapping: Bool
        }

        /// The programs of our hooks, by event.
        var hooks: [String: String] = [:]
        var statusLine: StatusLine?
        var hasTodoTools = false
        var rules: [String] = []

        init(_ bytes: [UInt8]?) {
            guard let bytes, let text = try? JSONText(bytes) else { return }
            for event in ClaudeSettings.events.map(\.name) {
                let entries = (try? text.value(at: [.key("hooks"), .key(event)])?.array()) ?? []
                for entry in entries {
                    for handler in (try? entry.optional("hooks")?.array()) ?? [] {
                        guard let command = try? handler.optional("command")?.string(),
                            case .hook(let executable, _)? = ClaudeCommand(command)
                        else { continue }
                        hooks[event] = executable
                    }
                }
            }
            if let command = ClaudeSettings.statusLineCommand(bytes),
                case .statusLine(let executable, let wrapped)? = ClaudeCommand(command)
            {
                statusLine = StatusLine(executable: executable, isWrapping: wrapped != nil)
            }
            hasTodoTools = text.value(at: [.key("env"), .key(ClaudeSettings.todoToolsMark)]) != nil
            rules = ((try? text.value(at: [.key("permissions"), .key("ask")])?.array()) ?? []).compactMap { try? $0.string() }
        }
    }
}
