internal import HostCore
internal import RelayProtocol

/// One file of a change, as signed lines without their secrets.
///
/// Codex describes new and deleted files by their content, and other changes by the hunks of a unified diff.
struct CodexChange {
    let path: String
    /// `add`, `delete` or `update`.
    let kind: String
    let target: String?
    let lines: SignedLines

    var text: String { lines.lines.joined(separator: "\n") }

    init?(_ value: JSONValue, _ redactor: Redactor) {
        guard let path = value.text("path"), let kind = value.optional("kind"), let word = kind.text("type"),
            let diff = value.text("diff")
        else { return nil }
        self.path = path
        self.kind = word
        target = kind.text("move_path")
        let all = Self.lines(of: diff)
        switch word {
        case "add": lines = SignedLines(all.map { "+" + $0 }, isExcerpt: false, redactor)
        case "delete": lines = SignedLines(all.map { "-" + $0 }, isExcerpt: false, redactor)
        default: lines = SignedLines(all, isExcerpt: true, redactor)
        }
    }

    static func all(_ changes: [JSONValue], _ redactor: Redactor) -> [CodexChange]? {
        let all = changes.compactMap { CodexChange($0, redactor) }
        return all.count == changes.count && !all.isEmpty ? all : nil
    }

    /// The diff of all changes, each under its file's name.
    static func diff(of changes: [CodexChange], name: (String) -> String) -> String {
        changes.map { change in
            let old = change.kind == "add" ? "/dev/null" : name(change.path)
            let new = change.kind == "delete" ? "/dev/null" : name(change.target ?? change.path)
            return (["--- \(old)", "+++ \(new)"] + change.lines.lines).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func lines(of text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
