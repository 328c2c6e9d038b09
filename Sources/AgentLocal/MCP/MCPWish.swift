internal import RelayProtocol

/// The arguments of one call of a tool.
enum MCPWish {
    struct Choice {
        let label: String
        let description: String?
    }

    case ask(String, choices: [Choice], isMultiple: Bool, choicesOnly: Bool)
    /// A request to approve a tool. `input` is passed byte for byte.
    case approve(tool: String, input: [UInt8], call: String?)
    case notify(String, isError: Bool)
    case progress(completed: Int64, total: Int64, current: String?)

    private enum Level: String, CaseIterable { case info, error }

    init(_ tool: MCPTool, from arguments: JSONValue) throws(WireError) {
        let root = try arguments.object()
        // A misspelt argument would make a question without choices.
        if let known = tool.arguments {
            for name in try root.names().map({ name throws(WireError) in try name.string() }) where !known.contains(name) {
                throw WireError(.badValue, at: "\(root.path).\(name)", "there is no such argument")
            }
        }
        switch tool {
        case .ask:
            var choices: [Choice] = []
            if root.optional("choices") != nil {
                for entry in try root.array("choices", countMax: WireLimits.questionsMax) {
                    let label = try entry.isString ? entry.string() : entry.object().string("label")
                    guard (1...WireLimits.lineBytesMax).contains(label.utf8.count) else {
                        throw WireError(.outOfRange, at: entry.path, "a label has 1 to \(WireLimits.lineBytesMax) bytes")
                    }
                    let description =
                        try entry.isString ? nil : entry.optionalString("description", bytesMax: WireLimits.textBytesMax)
                    choices.append(Choice(label: label, description: description))
                }
            }
            let choicesOnly = try root.flag("choicesOnly")
            guard !choicesOnly || !choices.isEmpty else {
                throw WireError(.badValue, at: "\(root.path).choices", "there is nothing to choose from")
            }
            guard Set(choices.map(\.label)).count == choices.count else {
                throw WireError(.badValue, at: "\(root.path).choices", "two choices are the same")
            }
            self = .ask(
                try root.text("question", bytesMax: WireLimits.textBytesMax), choices: choices,
                isMultiple: try root.flag("multiple"), choicesOnly: choicesOnly)
        case .approve:
            let call = try root.optionalString("tool_use_id", bytesMax: LocalLimits.nameBytesMax)
            self = .approve(
                tool: try root.text("tool_name", bytesMax: WireLimits.nameBytesMax),
                input: Array(try root.object("input").bytes), call: call?.isEmpty == false ? call : nil)
        case .notify:
            let level = try root.optional("level")?.word(Level.self) ?? .info
            self = .notify(try root.text("message", bytesMax: WireLimits.textBytesMax), isError: level == .error)
        case .progress:
            let total = try root.integer("total", in: 0...Self.countMax)
            self = .progress(
                completed: try root.integer("completed", in: 0...total), total: total,
                current: try root.optionalString("current", bytesMax: WireLimits.lineBytesMax))
        }
    }

    var tool: MCPTool {
        switch self {
        case .ask: .ask
        case .approve: .approve
        case .notify: .notify
        case .progress: .progress
        }
    }

    /// A bound on steps, beyond any that a tool counts.
    private static let countMax: Int64 = 1_000_000
}

extension JSONValue {
    /// Reads a text that must not be empty.
    fileprivate func text(_ key: StaticString, bytesMax: Int) throws(WireError) -> String {
        let text = try string(key, bytesMax: bytesMax)
        guard !text.isEmpty else { throw WireError(.badValue, at: "\(path).\(key)", "this is empty") }
        return text
    }
}
