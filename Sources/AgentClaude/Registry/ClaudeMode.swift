internal import RelayProtocol

/// Claude Code's permission modes that concern clients.
enum ClaudeMode {
    /// Modes that clients may choose: none that never asks a person, and none in which a model decides whether to ask.
    static let fromAfar = ["default", "acceptEdits", "plan"]
    static let lawless = "bypassPermissions"
    static let offerOfLawless = SteeringOffer(
        actions: [.interrupt, .stop],
        reason: "This session asks nobody before it does something, so it takes nothing else from clients. Start it without "
            + lawless + ".",
        mode: lawless)
}
