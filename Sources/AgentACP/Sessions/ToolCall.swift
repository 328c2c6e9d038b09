internal import HostCore
internal import RelayProtocol

/// One tool call, as far as it is known.
struct ToolCall {
    let id: String
    private(set) var tool = "tool"
    /// The tool's kind, as the protocol groups tools.
    private(set) var kind: String?
    private(set) var title = ""
    private(set) var file: String?
    /// The whole `rawInput`.
    private(set) var input: [UInt8]?
    /// Other content to show: texts and differences.
    private(set) var content: [UInt8]?
    private(set) var changes: [ToolChange] = []
    private(set) var output = ""
    /// True if `output` is of a running call and has changed since it was last reported.
    private var hasPrinted = false
    /// The editor's terminal in which it runs.
    private(set) var terminal: String?
    private(set) var exitCode: Int64?
    private(set) var status: String?
    /// True if every update of it was strict JSON, so that it is shown as the agent meant it.
    private(set) var isExact = true
    /// The input about which its agent last asked.
    private var askedInput: CallInput?
    /// True if its agent has reported an input since then.
    private var isInputNew = false
    /// True if it has begun to run, by its agent's own report, since its agent last asked about it.
    private(set) var hasRun = false
    let startedAt: Int64
    /// True if its turn is over and it still runs.
    var isLeft = false

    init(id: String, startedAt: Int64) {
        self.id = id
        self.startedAt = startedAt
    }

    var isOver: Bool { status == "completed" || status == "failed" }

    /// True if it has changed files, by the agent's own report.
    var changedFiles: Bool {
        status == "completed" && (!changes.isEmpty || writes)
    }

    var writes: Bool { ["edit", "delete", "move"].contains(kind) }

    /// The call in a few words, for lists.
    func operation(_ limits: ACPLimits) -> String {
        let line = TextCut.line(title, bytesMax: limits.texts.operationBytes)
        return line.isEmpty ? tool : line
    }

    /// Takes back an earlier report that the call runs: its agent asks about it only now. `input`: as the question describes it.
    mutating func asked(with input: CallInput?) {
        status = "pending"
        hasRun = false
        askedInput = input ?? CallInput(self.input)
        isInputNew = false
    }

    /// The sentence about an input with which it runs, and about which nobody was asked; nil if there is none, or it was taken.
    mutating func takeChange() -> String? {
        guard hasRun, isInputNew, let askedInput, let ran = CallInput(input), ran != askedInput else { return nil }
        self.askedInput = ran
        return TextCut.line(ChangedInput.sentence(tool, ran: String(decoding: input ?? [], as: UTF8.self)))
    }

    /// A line that could not be read may have changed the call's description.
    mutating func missedSome() { isExact = false }

    /// Takes the content of the call's terminal, as the editor reported it to the agent.
    mutating func showed(_ text: String, _ limits: ACPLimits) {
        output = Self.end(of: text, bytesMax: limits.printedBytes)
        hasPrinted = true
    }

    /// The output so far; nil if nothing was added since the last call.
    mutating func takePrinted(_ limits: ACPLimits) -> String? {
        guard hasPrinted else { return nil }
        hasPrinted = false
        let text = Self.end(of: output, bytesMax: limits.printedBytes)
        return text.isEmpty ? nil : text
    }

    /// The last bytes of the text, from the beginning of a line on.
    private static func end(of text: String, bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        let rest = text.utf8.suffix(bytesMax)
        guard let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) else { return "" }
        return String(decoding: rest[rest.index(after: lineEnd)...], as: UTF8.self)
    }

    /// Takes an update, which contains only new facts.
    mutating func take(_ update: JSONValue, isExact: Bool, _ limits: ACPLimits) {
        if !isExact { self.isExact = false }
        let meta = update.optional("_meta")
        kind = update.text("kind") ?? kind
        if let name = meta?.text("tool_name") ?? update.text("kind"), !name.isEmpty {
            // A vendor's own name says more than the kind, whichever comes last.
            if meta?.text("tool_name") != nil || tool == "tool" { tool = TextCut.line(name, bytesMax: WireLimits.nameBytesMax) }
        }
        if let title = update.text("title"), !title.isEmpty { self.title = title }
        if let path = update.list("locations").first?.text("path") { file = TextCut.line(path) }
        if let raw = update.optional("rawInput") {
            input = Array(raw.bytes)
            isInputNew = true
        }
        status = update.text("status") ?? status
        if ["in_progress", "completed"].contains(update.text("status")) { hasRun = true }
        if let content = update.optional("content") {
            self.content = Array(content.bytes)
            let entries = update.list("content")
            changes = entries.prefix(limits.changesMax).compactMap { ToolChange(content: $0) }
            if let named = entries.lazy.compactMap({ $0.text("terminalId") }).first {
                terminal = named
                hasRun = true
            }
            let text = entries.compactMap { $0.optional("content")?.text("text") }.joined(separator: "\n")
            // By the protocol a call's content replaces the earlier one; Vibe sends only the new part of a command's output.
            if meta?.text("tool_name") != nil, update.text("kind") == "execute" {
                output += text
                if output.utf8.count > 2 * limits.printedBytes { output = Self.end(of: output, bytesMax: limits.printedBytes) }
            } else if !text.isEmpty || terminal == nil {
                output = text
            }
            hasPrinted = !text.isEmpty
        }
        if let raw = update.optional("rawOutput") { take(output: raw) }
    }

    private mutating func take(output raw: JSONValue) {
        let observation = raw.optional("observation")
        exitCode = Self.exitCode(raw) ?? observation.flatMap(Self.exitCode)
        if exitCode != nil { hasRun = true }
        // OpenHands shows a difference as a text, and has both sides here.
        if changes.isEmpty, let change = observation.flatMap({ ToolChange(observation: $0) }) { changes = [change] }
        guard output.isEmpty else { return }
        output = (try? raw.string()) ?? raw.text("output") ?? raw.text("stdout") ?? ""
    }

    private static func exitCode(_ value: JSONValue) -> Int64? {
        let range = Int64(Int32.min)...Int64(Int32.max)
        for code in [try? value.optionalInteger("exit_code", in: range), try? value.optionalInteger("exitCode", in: range)] {
            if let code { return code }
        }
        return nil
    }
}

/// A call's change of one file.
struct ToolChange: Sendable {
    let path: String
    /// The file's earlier content; nil if it did not exist.
    let before: String?
    let after: String

    /// Reads a `diff` in a call's content.
    init?(content: JSONValue) {
        guard content.text("type") == "diff", let path = content.text("path"), let after = content.text("newText") else {
            return nil
        }
        self.init(path: path, before: content.text("oldText"), after: after)
    }

    /// Reads the observation of OpenHands' editor after a write.
    init?(observation: JSONValue) {
        guard observation.text("kind") == "FileEditorObservation", let path = observation.text("path"),
            let after = observation.text("new_content")
        else { return nil }
        self.init(path: path, before: observation.text("old_content"), after: after)
    }

    private init?(path: String, before: String?, after: String) {
        guard before != after else { return nil }
        self.path = path
        self.before = before
        self.after = after
    }

    func told(call: String, _ limits: ACPLimits) -> Told {
        let path = TextCut.line(path)
        guard (before?.utf8.count ?? 0) + after.utf8.count <= limits.comparedBytes else {
            return Told(.fileChanged(path: path, added: 0, removed: 0, call: call))
        }
        let difference = LineDifference(from: Array((before ?? "").utf8), to: Array(after.utf8))
        var lines: [String] = []
        var (added, removed): (Int64, Int64) = (0, 0)
        for hunk in difference.hunks {
            lines.append(hunk.header)
            for line in hunk.lines {
                let (sign, bytes): (String, ArraySlice<UInt8>) =
                    switch line {
                    case .kept(let index, _): (" ", difference.old[index])
                    case .removed(let index): ("-", difference.old[index])
                    case .added(let index): ("+", difference.new[index])
                    }
                if sign == "+" { added += 1 }
                if sign == "-" { removed += 1 }
                let isOpen = bytes.last != UInt8(ascii: "\n")
                lines.append(sign + String(decoding: isOpen ? bytes : bytes.dropLast(), as: UTF8.self))
                if isOpen { lines.append("\\ No newline at end of file") }
            }
        }
        let diff = TextCut.fit(lines.joined(separator: "\n"), bytesMax: limits.texts.diffBytes).text
        return Told(.fileChanged(path: path, added: added, removed: removed, call: call)) { $0.field("diff", diff) }
    }
}
