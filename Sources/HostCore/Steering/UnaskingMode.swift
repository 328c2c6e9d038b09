/// Modes of agents in which nobody is asked, or a model decides whether anybody is. No client can put a session into one, whatever the
/// agent calls it: a person elsewhere should be asked at least as often as one at the terminal.
package enum UnaskingMode {
    /// Agents spell these with spaces, hyphens, capitals, or none of them.
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
