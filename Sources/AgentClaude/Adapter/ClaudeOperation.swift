internal import HostCore
internal import RelayProtocol

/// A tool call's action in a few words, once as an activity and once as a question.
struct ClaudeOperation: Equatable {
    private static let readCharacters = 4_096

    /// The action while it runs: "Running: swift test"
    var doing: String
    /// The action as a question: "Run: swift test"
    var asking: String
    /// The file that the call concerns.
    var file: String?

    /// The command or address of a call, or the whole path of its file; nil if its input has none.
    static func object(of input: JSONValue?, in folder: String?) -> String? {
        if let text = input?.text("command") ?? input?.text("url") { return text }
        guard let path = input?.text("file_path") ?? input?.text("notebook_path") else { return nil }
        return path.hasPrefix("/") ? path : "\(folder ?? "")/\(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)"
    }

    /// `clean` removes secrets from a text before anything is cut off.
    init(tool: String, input: JSONValue?, paths: ShownPaths, clean: (String) -> String) {
        // Far more is read than is shown, so that a secret at the cut is still recognised.
        func text(_ key: StaticString) -> String? { input?.text(key).map { clean(String($0.prefix(Self.readCharacters))) } }
        func set(_ doing: String, _ asking: String, _ detail: String?, _ separator: String = " ") -> (String, String) {
            guard let detail = detail.map({ TextCut.line($0, bytesMax: 160) }), !detail.isEmpty else { return (doing, asking) }
            return (doing + separator + detail, asking + separator + detail)
        }
        let path = input?.text("file_path") ?? input?.text("notebook_path")
        if let path { file = TextCut.line(clean(paths.short(path))) }
        let name = path.map { clean(ShownPaths.last($0)) }
        switch tool {
        case "Bash": (doing, asking) = set("Running", "Run", text("command"), ": ")
        case "Read": (doing, asking) = set("Reading", "Read", name)
        case "Edit", "MultiEdit", "NotebookEdit": (doing, asking) = set("Editing", "Edit", name)
        case "Write": (doing, asking) = set("Writing", "Write", name)
        case "Grep": (doing, asking) = set("Searching for", "Search for", text("pattern"))
        case "Glob": (doing, asking) = set("Finding files", "Find files", text("pattern"), ": ")
        case "LS": (doing, asking) = set("Listing", "List", text("path").map(paths.short))
        case "WebFetch": (doing, asking) = set("Fetching", "Fetch", text("url"))
        case "WebSearch": (doing, asking) = set("Searching the web", "Search the web", text("query"), ": ")
        case "Task", "Agent": (doing, asking) = set("Delegating", "Delegate", text("description"), ": ")
        case "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet":
            (doing, asking) = ("Updating the task list", "Update the task list")
        case "AskUserQuestion":
            let question = input?.list("questions").first?.text("question").map(clean)
            (doing, asking) = (question.map { TextCut.line($0, bytesMax: 160) } ?? "Asking a question", "")
            asking = doing
        case "ExitPlanMode": (doing, asking) = ("Proposing a plan", "Carry out the plan")
        default:
            let parts = tool.split(separator: "_", omittingEmptySubsequences: true)
            if tool.hasPrefix("mcp__"), parts.count >= 3 {
                let title = "\(parts.dropFirst(2).joined(separator: " ")) (\(parts[1]))"
                (doing, asking) = ("Using \(title)", "Use \(title)")
            } else {
                (doing, asking) = ("Using \(tool)", "Use \(tool)")
            }
        }
        doing = TextCut.line(doing, bytesMax: 200)
        asking = TextCut.line(asking, bytesMax: 200)
    }
}
