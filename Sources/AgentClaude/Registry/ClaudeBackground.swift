internal import HostCore
internal import RelayProtocol

/// Background work of a session whose turn has ended, as Claude Code lists it for its Stop hook.
struct ClaudeBackground: Equatable {
    private static let tasksMax = 256
    private static let ends: Set<String> = ["completed", "failed", "killed", "stopped", "cancelled"]

    private(set) var commands = 0
    private(set) var agents: Set<String> = []
    private(set) var others = 0

    init() {}

    /// Returns nil if this version of Claude Code does not list its tasks.
    init?(_ payload: JSONValue) {
        guard payload.optional("background_tasks") != nil else { return nil }
        for task in payload.list("background_tasks").prefix(Self.tasksMax) where !Self.ends.contains(task.text("status") ?? "")
        {
            switch task.text("type") {
            case "shell": commands += 1
            case "subagent": agents.insert(TextCut.line(task.text("id") ?? "", bytesMax: WireLimits.nameBytesMax))
            default: others += 1
            }
        }
    }

    /// A single command that only the registry has reported.
    static let command = {
        var background = ClaudeBackground()
        background.commands = 1
        return background
    }()

    /// A description for people; nil if nothing runs in the background.
    var words: String? {
        BackgroundWords.of(
            (agents.count, "a subagent", "subagents"), (commands, "a command", "commands"), (others, "a task", "tasks"))
    }
}
