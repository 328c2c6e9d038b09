internal import HeliographHook
import RelayProtocol

/// The changes that `connect claude` makes to Claude Code's settings, and their removal. Pure: bytes in, bytes out.
///
/// | key | change |
/// |---|---|
/// | `hooks.EVENT` | one more entry for each event of `events`, in addition to those of others |
/// | `statusLine` | ours, or around the person's own, whose other keys stay |
/// | `env.CLAUDE_CODE_ENABLE_TODO_TOOLS` | only on request; `env.HELIOGRAPH_TODO_TOOLS` next to it marks it as ours |
/// | `permissions.ask` | requested rules that were missing; `env.HELIOGRAPH_ASK_RULES` lists those that are ours, one a line |
package struct ClaudeSettings: Sendable {
    /// The events for which we want hooks, whether each takes a matcher, and the seconds after which Claude Code gives up on our
    /// hook.
    static let events: [(name: String, takesMatcher: Bool, timeoutSeconds: Int)] = [
        ("SessionStart", false, 5),
        ("UserPromptSubmit", false, 5),
        ("MessageDisplay", false, 5),
        ("PreToolUse", true, 5),
        // A person may need a night; the dialog in the terminal is open meanwhile, except for a subagent's question.
        ("PermissionRequest", true, 86_400),
        // The same time, but here the dialog opens only when a key is pressed there, or when the hook has ended.
        (ClaudeHooks.elicitation, true, 86_400),
        ("ElicitationResult", true, 5),
        ("PostToolUse", true, 5),
        ("PostToolUseFailure", true, 5),
        ("PostToolBatch", false, 5),
        ("Notification", false, 5),
        ("TaskCreated", false, 5),
        ("TaskCompleted", false, 5),
        ("SubagentStart", false, 5),
        ("SubagentStop", false, 5),
        ("Stop", false, 5),
        ("StopFailure", false, 5),
        // Without a time-out of its own this hook would be cancelled after a second and a half.
        ("SessionEnd", false, 5),
    ]
    /// Text that Claude Code shows next to its spinner while the elicitation hook waits.
    static let elicitationMessage = "Asked remotely too: press a key to answer here"
    static let todoTools = "CLAUDE_CODE_ENABLE_TODO_TOOLS"
    static let todoToolsMark = "HELIOGRAPH_TODO_TOOLS"
    static let askRulesMark = "HELIOGRAPH_ASK_RULES"
    /// Modes of `permissions.defaultMode` in which the agent does what it deems safe without asking; the first is the default.
    static let modesThatSeldomAsk = ["auto", "bypassPermissions", "dontAsk"]

    private var text: JSONText
    private var notes: [String] = []
    private var isEmpty = false

    private init(_ current: [UInt8]?) throws(ConnectError) {
        do {
            text = try JSONText(current)
        } catch {
            let bytes = JSONText.withoutMark(current ?? [])
            let isComment = Self.offset(of: error, in: bytes).map {
                bytes[$0...].starts(with: [47, 47]) || bytes[$0...].starts(with: [47, 42])
            }
            throw ConnectError(
                .badJSON, at: Self.place(of: error, in: bytes),
                isComment == true ? "a comment, which JSON does not have: take it out first" : error.message)
        }
        try require(text.root, isObject: true, at: "the top level")
    }

    /// Adds our missing entries and updates the path in the existing ones; a person's changes to our entries stay.
    ///
    /// `inheritedStatusLine`: the command of another settings file that a status line in this one would hide.
    package static func connect(
        _ current: [UInt8]?, executable: String, todoTools: Bool = false, askRules: [String] = [],
        inheritedStatusLine: String? = nil
    ) throws(ConnectError) -> SettingsEdit {
        try check(executable)
        for rule in askRules { try check(rule: rule) }
        var settings = try ClaudeSettings(current)
        try settings.addHooks(executable)
        try settings.addStatusLine(executable, inherited: inheritedStatusLine)
        if todoTools { try settings.addTodoTools() }
        try settings.addAskRules(askRules)
        return SettingsEdit(bytes: settings.text.bytes, notes: settings.notes)
    }

    /// Settings with our hooks alone, for one session of a person who has not connected them.
    static func hooks(executable: String) throws(ConnectError) -> [UInt8] {
        try check(executable)
        var settings = try ClaudeSettings(nil)
        try settings.addHooks(executable)
        return settings.text.bytes
    }

    /// Removes our entries, and nothing else.
    package static func disconnect(_ current: [UInt8]) throws(ConnectError) -> SettingsEdit {
        var settings = try ClaudeSettings(current)
        settings.removeHooks()
        settings.removeStatusLine()
        settings.removeTodoTools()
        settings.removeAskRules()
        return SettingsEdit(bytes: settings.isEmpty ? nil : settings.text.bytes, notes: settings.notes)
    }

    /// The command of the status line in a settings file, or nil if it has none.
    static func statusLineCommand(_ current: [UInt8]) -> String? {
        (try? JSONText(current))?.value(at: [.key("statusLine"), .key("command")]).flatMap { try? $0.string() }
    }

    /// True if settings make the agent ask before it does something: by a rule, or by a mode other than its own default.
    static func asks(_ current: [UInt8]) -> Bool {
        guard let text = try? JSONText(current) else { return false }
        if let mode = try? text.value(at: [.key("permissions"), .key("defaultMode")])?.string() {
            if !modesThatSeldomAsk.contains(mode) { return true }
        }
        return !((try? text.value(at: askPath)?.array()) ?? []).isEmpty
    }

    // MARK: - Hooks

    private mutating func addHooks(_ executable: String) throws(ConnectError) {
        guard let hooks = text.value(at: [.key("hooks")]) else {
            let events = Self.events.map { (key: $0.name, value: JSONTree.array([Self.entry(for: $0, executable)])) }
            return text.append("hooks", .object(events), to: [])
        }
        try require(hooks, isObject: true, at: "$.hooks")
        for name in Self.members(hooks) where !Self.events.contains(where: { $0.name == name }) {
            removeHooks(of: name, keeping: 0)
        }
        for event in Self.events {
            let path: [JSONText.Step] = [.key("hooks"), .key(event.name)]
            guard let list = text.value(at: path) else {
                let value = JSONTree.array([Self.entry(for: event, executable)])
                if text.value(at: [.key("hooks")]) == nil {
                    text.append("hooks", .object([(event.name, value)]), to: [])
                } else {
                    text.append(event.name, value, to: [.key("hooks")])
                }
                continue
            }
            try require(list, isObject: false, at: "$.hooks.\(event.name)")
            guard let ours = handlers(of: event.name).first else {
                text.append(Self.entry(for: event, executable), to: path)
                continue
            }
            let command = ClaudeCommand.hook(executable: executable, event: event.name).text
            if (try? text.value(at: ours + [.key("command")])?.string()) != command {
                text.replace(ours + [.key("command")], with: JSONWriter.string(command))
            }
            removeHooks(of: event.name, keeping: 1)
        }
    }

    private mutating func removeHooks() {
        guard let hooks = text.value(at: [.key("hooks")]) else { return }
        for name in Self.members(hooks) { removeHooks(of: name, keeping: 0) }
    }

    private mutating func removeHooks(of event: String, keeping kept: Int) {
        while !isEmpty, let handler = handlers(of: event).dropFirst(kept).last {
            // An entry without any handler does nothing. Ours is removed whole; one that is shared with others loses only our
            // handler.
            let list = Array(handler.dropLast())
            let isOnlyOne = (try? text.value(at: list)?.array().count) == 1
            remove(isOnlyOne ? Array(list.dropLast()) : handler)
        }
    }

    /// The paths of our own handlers of an event, in order.
    private func handlers(of event: String) -> [[JSONText.Step]] {
        var paths: [[JSONText.Step]] = []
        let path: [JSONText.Step] = [.key("hooks"), .key(event)]
        let entries = (try? text.value(at: path)?.array()) ?? []
        for entry in entries.indices {
            let list = path + [.index(entry), .key("hooks")]
            let handlers = (try? text.value(at: list)?.array()) ?? []
            for handler in handlers.indices {
                guard let command = try? handlers[handler].optional("command")?.string(),
                    case .hook? = ClaudeCommand(command)
                else { continue }
                paths.append(list + [.index(handler)])
            }
        }
        return paths
    }

    private static func entry(
        for event: (name: String, takesMatcher: Bool, timeoutSeconds: Int), _ executable: String
    ) -> JSONTree {
        var handler: [(key: String, value: JSONTree)] = [
            ("type", .string("command")),
            ("command", .string(ClaudeCommand.hook(executable: executable, event: event.name).text)),
            ("timeout", .number(event.timeoutSeconds)),
        ]
        if event.name == ClaudeHooks.elicitation { handler.append(("statusMessage", .string(elicitationMessage))) }
        let matcher: [(key: String, value: JSONTree)] = event.takesMatcher ? [("matcher", .string("*"))] : []
        return .object(matcher + [("hooks", .array([.object(handler)]))])
    }

    // MARK: - Status line

    private mutating func addStatusLine(_ executable: String, inherited: String?) throws(ConnectError) {
        let path: [JSONText.Step] = [.key("statusLine"), .key("command")]
        guard let statusLine = text.value(at: [.key("statusLine")]) else {
            if let inherited {
                if ClaudeCommand(inherited) == nil {
                    notes.append(
                        "A status line of yours is set in another settings file, which one in this file would hide; it is left "
                            + "alone, so costs are not seen. `heliograph connect claude --user` wraps it.")
                }
                return
            }
            let command = ClaudeCommand.statusLine(executable: executable, wrapped: nil).text
            return text.append(
                "statusLine", .object([("type", .string("command")), ("command", .string(command))]), to: [])
        }
        try require(statusLine, isObject: true, at: "$.statusLine")
        guard let value = text.value(at: path), let command = try? value.string(),
            (try? statusLine.optionalString("type")) == "command"
        else {
            notes.append("The status line is not a command; it is left alone, so costs are not seen.")
            return
        }
        switch ClaudeCommand(command) {
        case .statusLine(_, nil)?:
            let wanted = ClaudeCommand.statusLine(executable: executable, wrapped: nil).text
            if command != wanted { text.replace(path, with: JSONWriter.string(wanted)) }
        case .statusLine(_, let wrapped?)?:
            let original = Self.original(of: value, wrapped: wrapped)
            text.replace(path, with: StatusLineWrapping.wrap(original[...], executable: executable))
        default:
            text.replace(path, with: StatusLineWrapping.wrap(value.bytes, executable: executable))
        }
    }

    private mutating func removeStatusLine() {
        let path: [JSONText.Step] = [.key("statusLine"), .key("command")]
        guard !isEmpty, let value = text.value(at: path), let command = try? value.string(),
            case .statusLine(_, let wrapped)? = ClaudeCommand(command)
        else { return }
        if let wrapped {
            text.replace(path, with: Self.original(of: value, wrapped: wrapped))
        } else {
            remove([.key("statusLine")])
        }
    }

    /// The person's own command as a JSON string, in the person's spelling if that is still known.
    private static func original(of value: JSONValue, wrapped: String) -> [UInt8] {
        guard let raw = StatusLineWrapping.unwrap(value.bytes),
            let document = try? JSONDocument(parsing: raw), (try? document.root.string()) == wrapped
        else { return JSONWriter.string(wrapped) }
        return raw
    }

    // MARK: - Todo tools

    private mutating func addTodoTools() throws(ConnectError) {
        guard let environment = text.value(at: [.key("env")]) else {
            let members = [Self.todoTools, Self.todoToolsMark].map { (key: $0, value: JSONTree.string("1")) }
            return text.append("env", .object(members), to: [])
        }
        try require(environment, isObject: true, at: "$.env")
        // A value that a person has set, whatever it is, is left alone.
        if text.value(at: [.key("env"), .key(Self.todoTools)]) != nil { return }
        for key in [Self.todoTools, Self.todoToolsMark] where text.value(at: [.key("env"), .key(key)]) == nil {
            text.append(key, .string("1"), to: [.key("env")])
        }
    }

    /// Removes the variable only if our mark is next to it and it still has the value that we gave it.
    private mutating func removeTodoTools() {
        guard !isEmpty, text.value(at: [.key("env"), .key(Self.todoToolsMark)]) != nil else { return }
        if (try? text.value(at: [.key("env"), .key(Self.todoTools)])?.string()) == "1" {
            remove([.key("env"), .key(Self.todoTools)])
        }
        remove([.key("env"), .key(Self.todoToolsMark)])
    }

    // MARK: - Rules that ask

    private static let askPath: [JSONText.Step] = [.key("permissions"), .key("ask")]
    private static let askRulesMarkPath: [JSONText.Step] = [.key("env"), .key(askRulesMark)]

    private mutating func addAskRules(_ rules: [String]) throws(ConnectError) {
        var ours = askRulesOfOurs
        for rule in rules where !askRules.contains(rule) {
            if let permissions = text.value(at: [.key("permissions")]) {
                try require(permissions, isObject: true, at: "$.permissions")
                if let list = text.value(at: Self.askPath) {
                    try require(list, isObject: false, at: "$.permissions.ask")
                    text.append(.string(rule), to: Self.askPath)
                } else {
                    text.append("ask", .array([.string(rule)]), to: [.key("permissions")])
                }
            } else {
                text.append("permissions", .object([("ask", .array([.string(rule)]))]), to: [])
            }
            if !ours.contains(rule) { ours.append(rule) }
        }
        try mark(ours)
    }

    private mutating func mark(_ rules: [String]) throws(ConnectError) {
        guard rules != askRulesOfOurs else { return }
        let mark = rules.joined(separator: "\n")
        if text.value(at: Self.askRulesMarkPath) != nil {
            text.replace(Self.askRulesMarkPath, with: JSONWriter.string(mark))
        } else if let environment = text.value(at: [.key("env")]) {
            try require(environment, isObject: true, at: "$.env")
            text.append(Self.askRulesMark, .string(mark), to: [.key("env")])
        } else {
            text.append("env", .object([(Self.askRulesMark, .string(mark))]), to: [])
        }
    }

    /// Removes the last rule of each kind that our mark names, unless a person has removed it. Ours came after the person's.
    private mutating func removeAskRules() {
        guard !isEmpty, text.value(at: Self.askRulesMarkPath) != nil else { return }
        for rule in askRulesOfOurs {
            if let place = askRules.lastIndex(of: rule) { remove(Self.askPath + [.index(place)]) }
        }
        remove(Self.askRulesMarkPath)
    }

    /// The rules; an entry that is not a string is nil and keeps its place.
    private var askRules: [String?] {
        ((try? text.value(at: Self.askPath)?.array()) ?? []).map { try? $0.string() }
    }

    private var askRulesOfOurs: [String] {
        let mark = (try? text.value(at: Self.askRulesMarkPath)?.string()) ?? ""
        return mark.split(separator: "\n").map(String.init)
    }

    /// Throws unless the rule is a tool's name, perhaps with an argument in brackets: a rule that Claude Code does not understand
    /// could cost the whole file.
    private static func check(rule: String) throws(ConnectError) {
        let name = rule.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        let about = rule.dropFirst(name.count)
        guard name.first?.isLetter == true, rule.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }),
            about.isEmpty || about.count > 2 && about.hasPrefix("(") && about.hasSuffix(")")
        else {
            throw ConnectError(.unfitRule, at: "--ask", "\"\(rule)\" is no rule like Bash or Bash(git push:*)")
        }
    }

    // MARK: - Helpers

    private mutating func remove(_ path: [JSONText.Step]) {
        if !text.remove(path) { isEmpty = true }
    }

    private func require(_ value: JSONValue, isObject: Bool, at place: String) throws(ConnectError) {
        let isFit = isObject ? value.isObject : (try? value.array()) != nil
        if !isFit { throw ConnectError(.unexpectedShape, at: place, "this must be \(isObject ? "an object" : "an array")") }
    }

    private static func members(_ object: JSONValue) -> [String] { ((try? object.members()) ?? []).map(\.key) }

    /// Throws unless we can find the executable again in the settings, and the shell reads it as one word.
    private static func check(_ executable: String) throws(ConnectError) {
        guard executable.utf8.first == UInt8(ascii: "/"),
            executable.split(separator: "/").last.map({ ClaudeCommand.programs.contains(String($0)) }) == true,
            executable.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 })
        else {
            throw ConnectError(
                .unfitExecutable, at: executable,
                "the settings need an absolute path to an executable named \(ClaudeCommand.programs.joined(separator: " or "))")
        }
    }

    /// The error's place as a line and column, because `byte 17` is of little use in an editor.
    private static func place(of error: WireError, in bytes: [UInt8]) -> String {
        guard let offset = offset(of: error, in: bytes) else { return error.path }
        let before = bytes[..<offset]
        let line = before.count { $0 == 10 } + 1
        let column = offset - (before.lastIndex(of: 10).map { $0 + 1 } ?? 0) + 1
        return "line \(line), column \(column)"
    }

    private static func offset(of error: WireError, in bytes: [UInt8]) -> Int? {
        guard error.path.hasPrefix("byte ") else { return nil }
        return Int(error.path.dropFirst(5)).flatMap { $0 <= bytes.count ? $0 : nil }
    }
}
