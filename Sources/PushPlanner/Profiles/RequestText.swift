import RelayProtocol

/// All that an approval asks, as text for a Lock Screen, in a form that what an agent wrote cannot imitate.
///
/// Each part of the input has its name in front, `command: swift test`. Where a text has several lines each of them has a gutter
/// (`│`), so that no line of it can be taken for another part. What is invisible or changes direction is spelled out.
struct RequestText {
    /// A notification that was opened shows about so much at once; of what must be scrolled for, the end is not seen.
    static let linesMax = 20

    let text: String
    /// Even with everything spelled out it may be read as something else, or a value of it is hidden.
    let mayMislead: Bool

    /// Nil where the request cannot be shown whole: it was cut at the host, has no input that we know, or has more lines.
    init?(_ approval: Approval, linesMax: Int = RequestText.linesMax) {
        guard !approval.request.isCut, let body = try? JSONDocument(parsing: approval.requestBytes).root.optional("body") else {
            return nil
        }
        var parts = Parts()
        switch approval.request.kind {
        case .tool:
            guard let input = body.optional("input") else { return nil }
            parts.append(input: input)
        case .question:
            guard let questions = try? body.optional("questions")?.array(), !questions.isEmpty else { return nil }
            for question in questions where !parts.append(question: question) { return nil }
        }
        guard parts.lines.count <= linesMax else { return nil }
        text = parts.lines.joined(separator: "\n")
        mayMislead =
            approval.request.isRedacted || VisibleText.mayMislead(approval.request.tool)
            || parts.written.contains(where: VisibleText.mayMislead)
    }

    private struct Parts {
        var lines: [String] = []
        /// As the agent wrote it.
        var written: [String] = []

        mutating func append(input: JSONValue) {
            guard let members = try? input.members() else { return append(name: "input", Self.text(of: input)) }
            if members.isEmpty { lines.append("no input") }
            for member in members { append(name: member.key, Self.text(of: member.value)) }
        }

        /// False where it has no text to show.
        mutating func append(question: JSONValue) -> Bool {
            guard let text = try? question.string("text") else { return false }
            append(name: nil, text)
            for choice in (try? question.optional("choices")?.array()) ?? [] {
                guard let label = try? choice.string("label") else { return false }
                let description = (try? choice.optionalString("description")) ?? nil
                append(name: nil, "• " + label + (description.map { " — " + $0 } ?? ""))
            }
            return true
        }

        private mutating func append(name: String?, _ text: String) {
            written += [name, text].compactMap { $0 }
            let shown = VisibleText.exact(text).split(separator: "\n", omittingEmptySubsequences: false)
            let label = name.map { VisibleText.exactLine($0) + ":" }
            if shown.count == 1 {
                lines.append([label, String(shown[0])].compactMap { $0 }.joined(separator: " "))
            } else {
                if let label { lines.append(label) }
                lines += shown.map { "│ " + $0 }
            }
        }

        /// A string as it is, anything else as its JSON.
        private static func text(of value: JSONValue) -> String {
            (try? value.string()) ?? String(decoding: value.bytes, as: UTF8.self)
        }
    }
}
