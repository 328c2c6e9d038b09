/// Modes of agents in which people are asked as often as at the terminal. No client can put a session into another mode: in one
/// that is not known perhaps nobody is asked, or a model decides whether to ask.
package enum AskingMode {
    /// Names without the spaces, hyphens and capitals in which agents differ.
    private static let names: Set<String> = [
        "default", "normal", "ask", "alwaysask", "askbeforeedits", "confirm", "manual", "interactive", "approve", "suggest",
        "plan", "architect", "readonly", "chat", "review", "code", "edit", "acceptedits", "autoedit", "agent", "build",
        "untrusted", "onrequest",
    ]
    /// Parts of names that take back what the rest of a title says.
    private static let doubts = ["bypass", "yolo", "full", "dont", "never", "auto", "all", "skip", "unrestricted", "trust"]

    /// `id` may be an address, of which the last part counts.
    package static func isOne(_ id: String, title: String? = nil) -> Bool {
        let name = letters(id.split { "/#".contains($0) }.last.map(String.init) ?? id)
        let shown = title.map(letters)
        guard names.contains(name) || shown.map(names.contains) == true else { return false }
        return [name, shown].allSatisfy { one in
            one.map { names.contains($0) || !doubts.contains(where: $0.contains) } ?? true
        }
    }

    private static func letters(_ name: String) -> String { name.lowercased().filter(\.isLetter) }
}
