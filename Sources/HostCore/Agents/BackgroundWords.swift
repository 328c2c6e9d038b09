/// The words for an agent's work in the background.
package enum BackgroundWords {
    /// "in the background: a command, 2 tasks"; nil if nothing runs.
    package static func of(_ parts: (count: Int, one: String, many: String)...) -> String? {
        let words = parts.filter { $0.count > 0 }.map { $0.count == 1 ? $0.one : "\($0.count) \($0.many)" }
        return words.isEmpty ? nil : "in the background: " + words.joined(separator: ", ")
    }
}
