/// Agents of the Agent Client Protocol that we know by name; any other works as well.
struct KnownACPAgent {
    let title: String
    let program: String
    /// Arguments after `heliograph acp --`.
    let command: String
    /// True if our tests run it; the others are mapped from their documentation.
    let isRunHere: Bool

    static let all = [
        KnownACPAgent(title: "Mistral Vibe", program: "vibe-acp", command: "vibe-acp", isRunHere: true),
        KnownACPAgent(title: "OpenHands", program: "openhands", command: "openhands acp", isRunHere: true),
        KnownACPAgent(title: "opencode", program: "opencode", command: "opencode acp", isRunHere: false),
        KnownACPAgent(title: "Gemini CLI", program: "gemini", command: "gemini --acp", isRunHere: false),
    ]
}
