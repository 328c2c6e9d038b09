internal import HostCore
internal import RelayProtocol

/// An edit's changes as signed lines without their secrets. Secrets are looked for in the text as it is in the file, because a sign
/// before each line of a private key makes another text of it.
struct ClaudeDiff {
    var lines: [String] = []
    var added: Int64 = 0
    var removed: Int64 = 0
    /// True if some lines are not shown exactly as they are.
    private(set) var isRedacted = false

    private let redactor: Redactor

    var text: String { lines.joined(separator: "\n") }

    /// The diff of a whole text and its successor, with line numbers, and three lines around each change.
    init(from before: String, to after: String, _ redactor: Redactor) {
        self.redactor = redactor
        let difference = LineDifference(from: Array(before.utf8), to: Array(after.utf8))
        let hunks = difference.hunks
        guard !hunks.isEmpty else { return }
        // Both texts are searched whole: a private key may begin far above the shown part of it.
        let (old, new) = (redactor.lines(of: before), redactor.lines(of: after))
        for hunk in hunks {
            lines.append(hunk.header)
            for line in hunk.lines {
                switch line {
                case .kept(let before, let after):
                    // A part hidden in one side is hidden in both.
                    let isHidden = !Self.shows(old[before], difference.old[before])
                    append(" ", isHidden ? old[before] : new[after], difference.new[after])
                case .removed(let index):
                    append("-", old[index], difference.old[index])
                    removed += 1
                case .added(let index):
                    append("+", new[index], difference.new[index])
                    added += 1
                }
            }
        }
    }

    private mutating func append(_ sign: String, _ shown: String, _ line: ArraySlice<UInt8>) {
        lines.append(sign + shown)
        if !Self.shows(shown, line) { isRedacted = true }
        if line.last != UInt8(ascii: "\n") { lines.append(Self.noNewline) }
    }

    /// True if the line is shown unchanged but for its end.
    private static func shows(_ shown: String, _ line: ArraySlice<UInt8>) -> Bool {
        shown.utf8.elementsEqual(line.last == UInt8(ascii: "\n") ? line.dropLast() : line)
    }

    /// The diff of a finished edit: Claude reports the hunks, or the whole content of a new file.
    init?(response: JSONValue, _ redactor: Redactor) {
        self.redactor = redactor
        let hunks = response.list("structuredPatch")
        for hunk in hunks {
            let old = "-\(hunk.whole("oldStart") ?? 0),\(hunk.whole("oldLines") ?? 0)"
            lines.append("@@ \(old) +\(hunk.whole("newStart") ?? 0),\(hunk.whole("newLines") ?? 0) @@")
            append(hunk.list("lines").compactMap { try? $0.string() })
        }
        guard hunks.isEmpty else { return }
        guard response.text("type") == "create", let content = response.text("content") else { return nil }
        add(content)
    }

    /// The diff of an edit that is asked for.
    init?(tool: String, input: JSONValue?, _ redactor: Redactor) {
        self.redactor = redactor
        guard let input else { return nil }
        switch tool {
        case "Edit": replace(input)
        case "MultiEdit": for edit in input.list("edits") { replace(edit) }
        case "NotebookEdit": if let source = input.text("new_source") { add(source) }
        case "Write": if let content = input.text("content") { add(content) }
        default: return nil
        }
        if lines.isEmpty { return nil }
    }

    /// Appends lines that already have their signs.
    private mutating func append(_ signed: [String]) {
        let shown = SignedLines(signed, isExcerpt: true, redactor)
        lines += shown.lines
        added += shown.added
        removed += shown.removed
    }

    private mutating func replace(_ edit: JSONValue) {
        guard let old = edit.text("old_string"), let new = edit.text("new_string") else { return }
        // Both are pieces of a file: if both end within a line, the rest of that line is unchanged.
        let isWithinLine = Self.isOpen(old) && Self.isOpen(new)
        for line in split(old) {
            lines.append("-\(line)")
            removed += 1
        }
        if Self.isOpen(old), !isWithinLine { lines.append(Self.noNewline) }
        add(new, isWithinLine: isWithinLine)
    }

    private mutating func add(_ text: String, isWithinLine: Bool = false) {
        for line in split(text) {
            lines.append("+\(line)")
            added += 1
        }
        if Self.isOpen(text), !isWithinLine { lines.append(Self.noNewline) }
    }

    private static let noNewline = "\\ No newline at end of file"

    /// True if the text's last line has no end.
    private static func isOpen(_ text: String) -> Bool { text.utf8.last.map { $0 != UInt8(ascii: "\n") } ?? false }

    /// The lines of a text, split at line feeds only: other line ends stay visible within a line.
    private func split(_ text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        var lines = redactor.lines(of: text, isExcerpt: true)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
