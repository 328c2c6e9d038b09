internal import HostCore
internal import RelayProtocol

/// An edit's effect on its file: a description, and its diff against the file as it is, or was.
struct ClaudeChange {
    static let tools: Set<String> = ["Edit", "MultiEdit", "Write", "NotebookEdit"]

    enum Kind: String {
        case new, overwrites, edits
        /// The file already has this content.
        case unchanged
        /// The file could not be read.
        case unknown
    }

    /// The reason why there is no diff against the file.
    enum Problem: String {
        case tooLarge, binary, unreadable, notAFile, late
        /// There is no file to edit.
        case missing
        /// The text to be replaced is not in the file, or occurs more than once although one place is meant.
        case notFound, notUnique
        /// The notebook has no such cell.
        case noCell
        /// The diff is longer than what can be shown.
        case tooLong
    }

    var kind = Kind.unknown
    var problem: Problem?
    /// The diff against the file if nothing prevented it, otherwise between the input's own texts.
    var diff: ClaudeDiff?
    /// Size of the file before the edit.
    var size: Int64?
    var target: String?
    /// Number of changed positions, if more than one.
    var places = 0
    var cell: ClaudeNotebook.Cell?

    /// True if the counts are lines of the file, not of the agent's input.
    var isCounted: Bool { diff != nil && (problem == nil || problem == .tooLong) && kind != .unknown }

    /// Effect of an edit that is being asked for.
    init?(tool: String, input: JSONValue?, file: ClaudeFile?, _ redactor: Redactor) {
        guard Self.tools.contains(tool), let input else { return nil }
        size = file?.size
        target = file?.target.map { TextCut.line(redactor.redact(text: $0).text) }
        apply(tool, input, to: file, redactor)
        if problem != nil || kind == .unknown { diff = ClaudeDiff(tool: tool, input: input, redactor) }
    }

    /// Effect of a finished edit: Claude reports the hunks, and mostly the file's former content.
    init?(tool: String, input: JSONValue?, response: JSONValue?, _ redactor: Redactor) {
        guard Self.tools.contains(tool) else { return nil }
        if let original = response?.optional("originalFile") ?? response?.optional("original_file"), let input {
            let before = (try? original.string()).map {
                ClaudeFile(content: .bytes(Array($0.utf8)), size: Int64($0.utf8.count))
            }
            let isTold = before != nil || response?.text("type") == "create"
            if isTold { apply(tool, input, to: before ?? .absent, redactor) }
            // Claude tells what it made of a file without an end of its own lines.
            if isTold, problem == nil, tool == "Write" || tool == "NotebookEdit" { return }
        }
        if let response, let told = ClaudeDiff(response: response, redactor) {
            (diff, problem) = (told, nil)
            if kind == .unknown { kind = response.text("type") == "create" ? .new : .edits }
            return
        }
        if problem != nil || kind == .unknown { diff = ClaudeDiff(tool: tool, input: input, redactor) }
    }

    // MARK: What the file becomes

    private mutating func apply(_ tool: String, _ input: JSONValue, to file: ClaudeFile?, _ redactor: Redactor) {
        guard let file else { return }
        let before: String
        switch file.content {
        case .unread(let reason):
            problem = Problem(rawValue: reason.rawValue)
            // If even the size could not be read, the file may be new.
            let isThere = file.size != nil || reason == .notAFile
            kind = !isThere ? .unknown : tool == "Write" ? .overwrites : .edits
            return
        case .absent: before = ""
        case .bytes(let bytes):
            guard let text = ClaudeFile.text(bytes) else {
                (kind, problem) = (tool == "Write" ? .overwrites : .edits, .binary)
                return
            }
            before = text
        }
        let isAbsent = file.content == .absent
        switch tool {
        case "Write":
            guard let content = input.text("content") else { return }
            become(content, from: before, isAbsent ? .new : .overwrites, redactor)
        case "NotebookEdit": applyToNotebook(input, before, isAbsent: isAbsent, redactor)
        default:
            let edits = tool == "MultiEdit" ? input.list("edits") : [input]
            replace(edits, in: before, isAbsent: isAbsent, redactor)
        }
    }

    private mutating func become(_ after: String, from before: String, _ kind: Kind, _ redactor: Redactor) {
        self.kind = kind
        if kind != .new, after.utf8.elementsEqual(before.utf8) { self.kind = .unchanged }
        diff = ClaudeDiff(from: before, to: after, redactor)
    }

    private mutating func replace(_ edits: [JSONValue], in before: String, isAbsent: Bool, _ redactor: Redactor) {
        kind = .edits
        if isAbsent, edits.first?.text("old_string") != "" {
            problem = .missing
            return
        }
        // Claude reads files like this, and an edit of the file cannot contain another line end.
        let start = before.utf8.contains(13) ? before.replacing("\r\n", with: "\n") : before
        var text = Array(start.utf8)
        for edit in edits {
            guard let old = edit.text("old_string"), let new = edit.text("new_string") else {
                kind = .unknown
                return
            }
            if old.isEmpty, text.isEmpty {
                text = Array(new.utf8)
                continue
            }
            let hits = ClaudeEdit(old: old, new: new).places(in: text)
            guard !hits.isEmpty else { return problem = .notFound }
            places = max(places, hits.count)
            guard hits.count == 1 || edit.isTrue("replace_all") else { return problem = .notUnique }
            text = ClaudeEdit(old: old, new: new).applied(at: hits, in: text)
        }
        become(String(decoding: text, as: UTF8.self), from: start, isAbsent ? .new : .edits, redactor)
    }

    private mutating func applyToNotebook(_ input: JSONValue, _ before: String, isAbsent: Bool, _ redactor: Redactor) {
        kind = .edits
        guard !isAbsent else { return problem = .missing }
        guard let change = ClaudeNotebook.change(input, of: before) else { return problem = .noCell }
        cell = change.cell
        become(change.after, from: change.before, .edits, redactor)
        // Inserting or deleting a cell is a change even if the cell is empty.
        if change.cell.deed != .replace { kind = .edits }
    }

    // MARK: On the wire

    func write(to writer: inout JSONWriter) {
        writer.object("change") {
            $0.field("file", kind.rawValue)
            $0.field("problem", problem?.rawValue)
            if isCounted, let diff {
                $0.field("added", diff.added)
                $0.field("removed", diff.removed)
            }
            $0.field("bytes", size)
            if places > 1 { $0.field("places", Int64(places)) }
            $0.field("target", target)
            if let cell {
                $0.object("cell") {
                    $0.field("deed", cell.deed.rawValue)
                    $0.field("number", Int64(cell.number))
                    $0.field("of", Int64(cell.count))
                }
            }
        }
    }
}
