import RelayProtocol

/// All that an approval asks, as text for a Lock Screen, in a form that what an agent wrote cannot imitate.
///
/// Each part of the input starts with its name, `command: swift test`. If a text has several lines, each starts with a gutter
/// (`│`), so that no line can be taken for another part. Invisible characters and those that change direction are spelled out.
struct RequestText {
    private(set) var lines: [String] = []
    /// The lines of the request, in the agent's own words.
    private var written: [String] = []

    /// True if the text may be misread even with everything spelled out.
    var mayMislead: Bool { written.contains(where: VisibleText.mayMislead) }

    init(input: JSONValue) {
        guard let members = try? input.members() else {
            append(name: "input", Self.text(of: input))
            return
        }
        if members.isEmpty { lines.append("no input") }
        for member in members { append(name: member.key, Self.text(of: member.value)) }
    }

    init(questions: [ShownQuestion]) {
        for question in questions {
            append(name: nil, question.text)
            for choice in question.choices {
                append(name: nil, "• " + choice.label + (choice.description.map { " — " + $0 } ?? ""))
            }
        }
    }

    init(command: String) {
        let shown = Self.lines(of: command)
        lines = shown.count == 1 ? ["Run: " + shown[0]] : ["Run:"] + shown.map { "│ " + $0 }
    }

    /// The text; nil if it is longer than a notification shows.
    var fitting: String? {
        guard lines.count <= RequestWords.linesMax else { return nil }
        let text = lines.joined(separator: "\n")
        return text.utf8.count <= RequestWords.bytesMax ? text : nil
    }

    private mutating func append(name: String?, _ text: String) {
        written += [name, text].compactMap { $0 }
        let shown = Self.lines(of: text)
        let label = name.map { VisibleText.exactLine($0) + ":" }
        if shown.count == 1 {
            lines.append([label, shown[0]].compactMap { $0 }.joined(separator: " "))
        } else {
            if let label { lines.append(label) }
            lines += shown.map { "│ " + $0 }
        }
    }

    private static func lines(of text: String) -> [String] {
        VisibleText.exact(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The value as text: a string as it is, anything else as JSON.
    private static func text(of value: JSONValue) -> String {
        (try? value.string()) ?? String(decoding: value.bytes, as: UTF8.self)
    }
}
