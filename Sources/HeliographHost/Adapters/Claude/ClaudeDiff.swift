internal import RelayProtocol

/// What an edit changes, as lines with a sign before them.
struct ClaudeDiff: Equatable {
    var lines: [String] = []
    var added: Int64 = 0
    var removed: Int64 = 0

    var text: String { lines.joined(separator: "\n") }

    /// Of a finished edit: Claude tells the hunks, or the whole content of a new file.
    init?(response: JSONValue) {
        let hunks = response.list("structuredPatch")
        for hunk in hunks {
            let old = "-\(hunk.whole("oldStart") ?? 0),\(hunk.whole("oldLines") ?? 0)"
            lines.append("@@ \(old) +\(hunk.whole("newStart") ?? 0),\(hunk.whole("newLines") ?? 0) @@")
            for line in hunk.list("lines") {
                guard let line = try? line.string() else { continue }
                lines.append(line)
                if line.hasPrefix("+") { added += 1 }
                if line.hasPrefix("-") { removed += 1 }
            }
        }
        guard hunks.isEmpty else { return }
        guard response.text("type") == "create", let content = response.text("content") else { return nil }
        add(content)
    }

    /// Of an edit that is asked for.
    init?(tool: String, input: JSONValue?) {
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

    private mutating func replace(_ edit: JSONValue) {
        guard let old = edit.text("old_string"), let new = edit.text("new_string") else { return }
        // Both are pieces of a file: where both end within a line, that line goes on as it was.
        let isWithinLine = Self.isOpen(old) && Self.isOpen(new)
        for line in Self.split(old) {
            lines.append("-\(line)")
            removed += 1
        }
        if Self.isOpen(old), !isWithinLine { lines.append(Self.noNewline) }
        add(new, isWithinLine: isWithinLine)
    }

    private mutating func add(_ text: String, isWithinLine: Bool = false) {
        for line in Self.split(text) {
            lines.append("+\(line)")
            added += 1
        }
        if Self.isOpen(text), !isWithinLine { lines.append(Self.noNewline) }
    }

    private static let noNewline = "\\ No newline at end of file"

    /// Without an end of its last line.
    private static func isOpen(_ text: String) -> Bool { text.utf8.last.map { $0 != UInt8(ascii: "\n") } ?? false }

    /// At line feeds only: whatever else ends a line somewhere stays to be seen within it.
    private static func split(_ text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}
