/// Claude Code's permission modes, as far as clients may put a session into one.
enum ClaudeMode {
    /// None that asks nobody, and none that leaves it to a model whether somebody is asked.
    static let fromAfar = ["default", "acceptEdits", "plan"]
    static let lawless = "bypassPermissions"
}
