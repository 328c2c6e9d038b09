internal import HostCore
internal import RelayProtocol

/// Tokens of a thread, without a cost, which Codex does not report.
///
/// Codex counts the conversation, and we count what was used here: the total of a fork begins with that of the original, and Codex
/// subtracts reverted usage although it was used.
struct CodexUsage: Equatable {
    /// Incremented whenever `base` changes: the relay adds up the runs.
    private var runNumber: Int64 = 1
    /// Codex's last total. Nil before the first.
    private var total: Int64?
    /// The part of Codex's total that does not belong to this run.
    private var base = Tokens()
    /// The last reported usage of this run, without subagents.
    private var used = Tokens()
    /// Tokens of subagents in this run.
    private var ofSubagents = Tokens()
    /// The last counted turn. Names of turns ascend, as those of threads do.
    private var turn = ""
    /// True if the thread began as a copy of another.
    var isFork = false
    /// True if turns were reverted since `total` was reported, so that the difference to the next total means nothing.
    private var isReverted = false

    init() {}

    mutating func reverted() { isReverted = total != nil }

    /// Takes a reported usage. `turn`: the turn of the newest usage, which may have been reported before.
    mutating func take(_ usage: JSONValue, turn: String?, thread: String, model: String?) -> Usage? {
        guard let all = usage.optional("total"), let sum = Self.sum(all), isReverted || sum != total else { return nil }
        let counts = Self.tokens(all)
        let last = usage.optional("last").flatMap { Self.sum($0) == nil ? nil : Self.tokens($0) }
        if let total, isReverted || sum < total {
            runNumber += 1
            ofSubagents = Tokens()
            // Usage that is reported again without a turn in between was counted before.
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

    /// Adds the tokens of a subagent, which Codex counts only in the subagent's own thread.
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

    /// Reads a note. Notes of earlier versions have 0 if nothing was reported, and no `base`.
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

    /// Reads tokens from a note; all are 0 if it is of an earlier version.
    init(note: [JSONValue]) {
        let parts = note.map { min(max((try? $0.integer()) ?? 0, 0), JSONValue.integerMax) }
        self.init()
        guard parts.count == 4 else { return }
        self = Tokens(input: parts[0], output: parts[1], cacheRead: parts[2], cacheWrite: parts[3])
    }
}
