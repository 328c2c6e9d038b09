/// Modes of agents in which nobody is asked, or in which a model decides whether to ask. No client can put a session into one,
/// whatever the agent calls it: a remote person should be asked at least as often as one at the terminal.
package enum UnaskingMode {
    /// Parts of such modes' names, without the spaces, hyphens and capitals in which agents differ.
    private static let parts = [
        "bypass", "yolo", "fullaccess", "dontask", "neverask", "autoapprove", "alwaysapprove", "approveall", "llmapprove",
        "fullauto",
        "autonomous", "skippermissions", "dangerous", "unrestricted",
    ]
    private static let words: Set<String> = ["auto", "never", "full"]

    package static func isOne(_ mode: String) -> Bool {
        let letters = mode.lowercased().filter(\.isLetter)
        return words.contains(letters) || parts.contains { letters.contains($0) }
    }
}
