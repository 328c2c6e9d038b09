internal import HostCore
internal import RelayProtocol

/// A call by Codex: a command, a change of files, a server's tool, a search.
struct CodexTool {
    enum Subject {
        case command(String)
        /// Text that is typed into a command that runs.
        case typed(String)
        /// The changes as Codex wrote them.
        case changes([JSONValue], bytes: [UInt8])
        case other(String)
    }

    /// The tool name of commands, the same for all agents here, so that they are checked and shown alike.
    static let command = "Bash"
    static let changes = "apply_patch"
    static let typing = "write_stdin"

    let name: String
    let subject: Subject
    /// The shown part of its input.
    let input: [UInt8]
    let output: String?
    let exitCode: Int64?
    let milliseconds: Int64?
    let succeeded: Bool
    let isDeclined: Bool
    /// The call's error; nil if there was none.
    let problem: String?

    init?(_ item: JSONValue) {
        switch item.text("type") {
        case "commandExecution":
            guard let command = item.text("command") else { return nil }
            name = Self.command
            subject = .command(command)
            input = JSONWriter.object {
                $0.field("command", command)
                $0.field("cwd", item.text("cwd"))
            }
        case "fileChange":
            guard let changes = item.optional("changes") else { return nil }
            name = Self.changes
            subject = .changes(item.list("changes"), bytes: Array(changes.bytes))
            input = JSONWriter.object { $0.raw("changes", changes.bytes) }
        case "mcpToolCall":
            let (server, tool) = (item.text("server") ?? "", item.text("tool") ?? "")
            name = TextCut.line("mcp__\(server)__\(tool)", bytesMax: WireLimits.nameBytesMax)
            subject = .other("\(tool) (\(server))")
            input = item.optional("arguments").flatMap { $0.isObject ? Array($0.bytes) : nil } ?? Array("{}".utf8)
        case "webSearch":
            name = "WebSearch"
            subject = .other(item.text("query") ?? "the web")
            input = JSONWriter.object { $0.field("query", item.text("query")) }
        default: return nil
        }
        let status = item.text("status")
        output = item.text("aggregatedOutput")
        exitCode = (try? item.optional("exitCode")?.integer()) ?? nil
        milliseconds = item.whole("durationMs")
        problem = item.optional("error")?.text("message")
        isDeclined = status == "declined"
        succeeded = problem == nil && (exitCode ?? 0) == 0 && status != "failed" && !isDeclined
    }

    init(typed text: String) {
        name = Self.typing
        subject = .typed(text)
        input = JSONWriter.object { $0.field("stdin", text) }
        (output, exitCode, milliseconds, problem) = (nil, nil, nil, nil)
        (succeeded, isDeclined) = (true, false)
    }

    /// The call in words: "Running: swift test". `clean` removes secrets before anything is cut off.
    func words(_ paths: ShownPaths, clean: (String) -> String) -> String {
        switch subject {
        case .command(let command): "Running: " + Self.words(command: command, clean: clean)
        case .typed(let text): "Typing: " + TextCut.line(clean(TextCut.rough(text, bytesMax: WireLimits.lineBytesMax)))
        case .changes(let changes, _): "Changing " + Self.words(changes: changes, paths, clean: clean)
        case .other(let text): "Using " + clean(TextCut.rough(text, bytesMax: WireLimits.lineBytesMax))
        }
    }

    static func words(command: String, clean: (String) -> String) -> String {
        // Far more is read than is shown, so that a secret at the cut is still recognised.
        clean(CodexCommand.plain(TextCut.rough(command, bytesMax: WireLimits.lineBytesMax)))
    }

    static func words(changes: [JSONValue], _ paths: ShownPaths, clean: (String) -> String) -> String {
        let files = changes.compactMap { $0.text("path") }
        guard files.count == 1, let file = files.first else { return "\(files.count) files" }
        return clean(paths.short(file))
    }
}
