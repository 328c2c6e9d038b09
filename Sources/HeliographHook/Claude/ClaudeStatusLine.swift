import RelayProtocol

/// Our own status line, for people without one: `Opus 5.5 · $0.02 · 1% context`.
enum ClaudeStatusLine {
    /// The line's text; nil if there is nothing to show.
    static func text(for input: [UInt8]) -> String? {
        guard let root = try? JSONDocument(parsing: input).root else { return nil }
        var parts: [String] = []
        if let name = try? root.optional("model")?.optionalString("display_name") {
            // Control characters are removed, because they would reach the terminal.
            parts.append(
                String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.properties.generalCategory != .control })))
        }
        if let cost = try? root.optional("cost")?.optional("total_cost_usd")?.number(), (0..<1e9).contains(cost) {
            let cents = Int((cost * 100).rounded())
            parts.append("$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)")
        }
        if let share = try? root.optional("context_window")?.optional("used_percentage")?.number(), (0...100).contains(share) {
            parts.append("\(Int(share.rounded()))% context")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}
