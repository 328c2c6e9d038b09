internal import HostCore
internal import RelayProtocol

/// Tokens of a thread, without a cost, which Codex does not report.
///
/// Codex counts over the conversation, and we count what was used here: the total of a fork begins with that of the original, and
/// reverted usage is subtracted from it although it was used.
struct CodexUsage: Equatable {
    /// Incremented whenever `base` changes: the relay adds up the runs.
    private var runNumber: Int64 = 1
    /// Codex's last total. Nil before the first.
    private var total: Int64?
    /// Part of Codex's total that is not of this run.
    private var base = Tokens()
    /// What was told last of this run, without subagents.
    private var used = Tokens()
    /// Tokens of subagents in this run.
    private var ofSubagents = Tokens()
    /// The last turn that was counted. Names of turns ascend, as those of threads do.
    private var turn = ""
    /// The thread began as a copy of another.
    var isFork = false
    /// Turns were reverted since `total` was reported, so the difference to the next one says nothing.
    private var isReverted = false

    init() {}

    mutating func reverted() { isReverted = total != nil }

    /// `turn` is the turn of the newest usage, and may be one that was reported before.
    mutating func take(_ usage: JSONValue, turn: String?, thread: String, model: String?) -> Usage? {
        guard let all = usage.optional("total"), let sum = Self.sum(all), isReverted || sum != total else { return nil }
        let counts = Self.tokens(all)
        let last = usage.optional("last").flatMap { Self.sum($0) == nil ? nil : Self.tokens($0) }
        if let total, isReverted || sum < total {
            runNumber += 1
            ofSubagents = Tokens()
            // Usage that is reported again, if there was no turn since then, was counted before.
            base = turn.map { $0 > self.turn } ?? true ? last.map { counts.less($0) } ?? Tokens() : counts
        } else if total == nil, isFork {
            base = turn.map { $0 > thread } ?? false ? counts.less(last ?? counts) : counts
        }
        isReverted = false
        total = sum
        self.turn = max(self.turn, turn ?? "")
        used = counts.less(base)
        guard used != Tokens() else { return nil }
        var told = told(thread)
        told.model = model
        told.contextUsed = usage.optional("last")?.whole("totalTokens")
        told.contextLimit = usage.whole("modelContextWindow")
        return told
    }

    /// Tokens that a subagent has used: Codex counts them in its own thread only.
    mutating func add(_ tokens: Tokens, thread: String) -> Usage {
        ofSubagents = ofSubagents.plus(tokens)
        return told(thread)
    }

    private func told(_ thread: String) -> Usage {
        var told = Usage()
        told.run = "\(thread)-\(runNumber)"
        told.tokens = used.plus(ofSubagents)
        return told
    }

    private static func sum(_ value: JSONValue) -> Int64? {
        guard let input = value.whole("inputTokens"), let output = value.whole("outputTokens") else { return nil }
        return input + output
    }

    private static func tokens(_ value: JSONValue) -> Tokens {
        let (read, written) = (value.whole("cachedInputTokens") ?? 0, value.whole("cacheWriteInputTokens") ?? 0)
        // Codex's input tokens include the cached ones.
        let input = max(0, (value.whole("inputTokens") ?? 0) - read - written)
        return Tokens(input: input, output: value.whole("outputTokens") ?? 0, cacheRead: read, cacheWrite: written)
    }

    // MARK: Over a restart

    func write(to writer: inout JSONWriter) {
        writer.field("run", runNumber)
        writer.field("tokens", total)
        writer.field("counted", turn)
        writer.flag("fork", isFork)
        writer.flag("reverted", isReverted)
        writer.array("base", base.note)
        writer.array("used", used.note)
        writer.array("subagents", ofSubagents.note)
    }

    /// Notes of earlier versions say 0 if nothing was reported, and have no `base`.
    init(from value: JSONValue) {
        runNumber = value.whole("run") ?? 1
        total = value.whole("tokens").flatMap { $0 > 0 ? $0 : nil }
        turn = value.text("counted") ?? ""
        isFork = value.isTrue("fork")
        isReverted = value.isTrue("reverted")
        base = Tokens(note: value.list("base"))
        used = Tokens(note: value.list("used"))
        ofSubagents = Tokens(note: value.list("subagents"))
    }
}

extension Tokens {
    var note: [[UInt8]] { [input, output, cacheRead, cacheWrite].map { Array(String($0).utf8) } }

    /// None if the note is of an earlier version.
    init(note: [JSONValue]) {
        let parts = note.map { min(max((try? $0.integer()) ?? 0, 0), JSONValue.integerMax) }
        self.init()
        guard parts.count == 4 else { return }
        self = Tokens(input: parts[0], output: parts[1], cacheRead: parts[2], cacheWrite: parts[3])
    }
}
