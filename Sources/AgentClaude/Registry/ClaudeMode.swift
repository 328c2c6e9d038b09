/// Claude Code's permission modes, as far as clients may put a session into one.
enum ClaudeMode {
    /// Modes that clients may choose: none that never asks a person, and none in which a model decides if a person is asked.
    static let fromAfar = ["default", "acceptEdits", "plan"]
    static let lawless = "bypassPermissions"
}
