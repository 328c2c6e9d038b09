/// Claude Code's permission modes that concern clients.
enum ClaudeMode {
    /// Modes that clients may choose: none that never asks a person, and none in which a model decides whether to ask.
    static let fromAfar = ["default", "acceptEdits", "plan"]
    static let lawless = "bypassPermissions"
}
