package import RelayProtocol

/// The effect of an edit on its file in sentences, from the host's report.
package struct ChangeText: Sendable {
    package private(set) var sentences: [String] = []
    /// True if the diff is against the file, and not only of the text that was sent.
    package let isCompared: Bool
    private let file: String

    /// Nil for other tools, and if the host does not read files.
    package init?(body: JSONValue?) {
        guard let change = body?.optional("change"), let file = try? change.string("file") else { return nil }
        self.file = file
        let number = { (key: StaticString) in (try? change.optionalInteger(key)) ?? nil }
        let problem = (try? change.optionalString("problem")) ?? nil
        isCompared = problem == nil && number("added") != nil
        var sentence =
            Self.cell(change.optional("cell")) ?? Self.deed(file, bytes: number("bytes"), places: number("places"), problem)
        if let added = number("added"), let removed = number("removed") {
            sentence += ": \(Moment.count(Int(added), "line")) added, \(removed) removed"
        }
        sentences.append(sentence)
        if let target = try? change.optionalString("target") {
            sentences.append("a link leads to \(target): that is what changes")
        }
        if let problem { sentences.append(Self.words(for: problem)) }
    }

    /// A short mark in lists for changes that are special; nil for others.
    package var mark: String? { ["new": "new file", "overwrites": "overwrites", "unchanged": "nothing changed"][file] }

    private static func deed(_ file: String, bytes: Int64?, places: Int64?, _ problem: String?) -> String {
        switch file {
        case "new": "new file"
        case "overwrites": "overwrites a file" + (bytes.map { " of \(Moment.count(Int($0), "byte"))" } ?? "")
        case "unchanged": "changes nothing: the file already has this content"
        case "edits": problem == nil && (places ?? 0) > 1 ? "changes the file in \(places ?? 0) places" : "changes the file"
        default: "the file could not be read"
        }
    }

    private static func cell(_ cell: JSONValue?) -> String? {
        guard let cell, let deed = try? cell.string("deed"), let number = try? cell.integer("number"),
            let count = try? cell.integer("of")
        else { return nil }
        return switch deed {
        case "insert": "adds a cell as number \(number); the notebook has \(count)"
        case "delete": "deletes cell \(number) of \(count)"
        default: "changes cell \(number) of \(count)"
        }
    }

    private static func words(for problem: String) -> String {
        switch problem {
        case "tooLarge": "it is too large to be compared: what is removed is not shown"
        case "binary": "it is not text: what is removed is not shown"
        case "unreadable": "it could not be read: what is removed is not shown"
        case "notAFile": "it is not a regular file: its content is not shown"
        case "late": "its disk did not answer in time: what is removed is not shown"
        case "missing": "there is no such file now"
        case "notFound": "the text to be replaced is not in it now"
        case "notUnique": "the text to be replaced occurs more than once, and only one place is meant"
        case "noCell": "it has no such cell now"
        case "tooLong": "the change is too long to be shown line by line: what is removed is not shown"
        default: "it could not be compared (\(problem))"
        }
    }
}
