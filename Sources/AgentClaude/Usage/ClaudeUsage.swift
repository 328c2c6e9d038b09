internal import HostCore
internal import RelayProtocol

/// Cost of a session, from Claude's status line, or from its transcript if there is none (`claude -p`). Tokens are counted in its
/// transcript and its subagents', because the status line has only those of the newest request.
///
/// Claude's figure is an estimate for models that Claude Code does not know. That part is reported separately and is not a cost.
///
/// Claude's figures grow throughout one process, over all its conversations, and start with a conversation's earlier cost if it is
/// resumed or forked. Ours start from zero in each `run`, so that the relay can add up runs.
struct ClaudeUsage {
    /// Figures as last sent, or as they would be sent now.
    struct Figures: Equatable {
        var run: String?
        var model: String?
        var tokens = Tokens()
        /// Cost in micro-dollars; nil while only tokens of this run are known, because no price is made up that Claude did not
        /// report.
        var costMicroUSD: Int64?
        /// The part of Claude's figure for models whose price it does not know; nil while there is none.
        var estimateMicroUSD: Int64?
        var contextUsed: Int64?
        var contextLimit: Int64?
    }

    private(set) var figures = Figures()
    private(set) var sent = Figures()
    /// Monotonic time of the last report; nil before the first.
    private(set) var sentAt: Int64?
    private(set) var process: AgentProcess?
    /// Claude's last figure.
    private(set) var rawMicroUSD: Int64 = 0
    /// Claude's figure at the start of this run.
    private var baseMicroUSD: Int64 = 0
    /// True if Claude has reported a figure in this run.
    private var isPriced = false
    /// This run's use of models without a known price.
    private var unpriced = ModelShares()
    /// Prices for the next figures.
    var prices = ModelPrices()
    private var apiMilliseconds: Int64?
    private var resets = 0
    /// The other processes' total at the time at which that process took up the conversation.
    private var inherited: (process: AgentProcess, total: ClaudeTranscript.Total)?
    /// The process of the last status line.
    private(set) var lineProcess: AgentProcess?

    static let costMicroUSDMax: Int64 = 1_000_000_000_000

    var isDirty: Bool { figures != sent && sentAt != nil || figures != Figures() && sentAt == nil }

    /// The run in `session.started`: the current one if its process is the same.
    func run(of process: AgentProcess?) -> String? {
        if let run = figures.run, process == self.process { return run }
        return process?.run
    }

    /// Takes a status line. `earlier`: the figures of other conversations of the same process. Returns true if requests were made
    /// since the last line.
    mutating func update(_ line: JSONValue, process: AgentProcess?, earlier: [Int64]) -> Bool {
        setModel(line.optional("model")?.text("id"))
        let context = line.optional("context_window")
        figures.contextLimit = context?.whole("context_window_size") ?? figures.contextLimit
        figures.contextUsed = context?.whole("total_input_tokens") ?? figures.contextUsed
        guard let cost = line.optional("cost"), let raw = Self.shown(line) else { return false }
        count(raw, process, earlier: earlier, by: line.optional("model")?.text("id") ?? figures.model)
        lineProcess = process
        // The time spent in requests distinguishes a new request from a line that is drawn again.
        guard let milliseconds = cost.whole("total_api_duration_ms"), milliseconds != apiMilliseconds else { return false }
        apiMilliseconds = milliseconds
        return milliseconds > 0
    }

    /// Cost in a status line.
    static func shown(_ line: JSONValue) -> Int64? {
        line.optional("cost")?.real("total_cost_usd").flatMap { $0 >= 0 ? microUSD($0) : nil }
    }

    static func microUSD(_ dollars: Double) -> Int64 {
        Int64(min(dollars * 1_000_000, Double(costMicroUSDMax)).rounded())
    }

    private mutating func count(_ raw: Int64, _ process: AgentProcess?, earlier: [Int64], by model: String?) {
        if figures.run == nil || process != self.process {
            begin(process, base: base(of: raw, process, earlier: earlier))
            rawMicroUSD = baseMicroUSD
        } else if raw < rawMicroUSD {
            begin(process, base: 0)
            rawMicroUSD = 0
        }
        if let model { unpriced.add(model, guessMicroUSD: max(0, raw - rawMicroUSD)) }
        rawMicroUSD = raw
        isPriced = true
        settle()
    }

    /// Divides Claude's figure into cost and estimate. A reported cost never sinks, because relays take the highest of a run.
    private mutating func settle() {
        let parts = unpriced.cost(by: prices)
        let known = isPriced ? max(0, rawMicroUSD - baseMicroUSD - unpriced.guessMicroUSD) : 0
        guard isPriced && (known > 0 || unpriced.isEmpty) || parts.ownMicroUSD != nil || figures.costMicroUSD != nil else {
            return estimate(parts.guessMicroUSD)
        }
        let cost = min(known + (parts.ownMicroUSD ?? 0), Self.costMicroUSDMax)
        let before = figures.costMicroUSD ?? 0
        figures.costMicroUSD = max(cost, before)
        estimate(max(0, parts.guessMicroUSD - max(0, before - cost)))
    }

    private mutating func estimate(_ microUSD: Int64) {
        if microUSD > 0 || figures.estimateMicroUSD != nil { figures.estimateMicroUSD = microUSD }
    }

    /// Takes over new prices of the host's owner. They apply to the current run, but to none that is over.
    mutating func reprice(by prices: ModelPrices, process: AgentProcess?) {
        self.prices = prices
        if figures.run != nil, process == self.process { settle() }
    }

    /// The part of `raw` that belongs to other runs or conversations.
    private func base(of raw: Int64, _ process: AgentProcess?, earlier: [Int64]) -> Int64 {
        if let total = inheritance(of: process) { return total.microUSD <= raw ? total.microUSD : 0 }
        // Another conversation of this process, before /clear, has the cost up to here.
        // An older process did not take the conversation up from this one.
        let isOlder = (process?.startedAt ?? 0) < (self.process?.startedAt ?? 0)
        if figures.run == nil || isOlder { return earlier.filter { $0 <= raw }.max() ?? 0 }
        return raw >= rawMicroUSD ? rawMicroUSD : 0
    }

    // MARK: From the transcript

    mutating func inherit(_ total: ClaudeTranscript.Total, process: AgentProcess?) {
        inherited = process.map { ($0, total) }
        // Tokens of this process were counted before it was known, as hooks and the transcript race; no cost was.
        guard figures.run != nil, process == self.process, !isPriced else { return }
        baseMicroUSD = total.microUSD
        rawMicroUSD = total.microUSD
    }

    private func inheritance(of process: AgentProcess?) -> ClaudeTranscript.Total? {
        inherited.flatMap { $0.process == process ? $0.total : nil }
    }

    /// Takes the total that Claude wrote at its end. A lower one than known is of an earlier end; an equal one was in a status
    /// line.
    mutating func update(_ total: ClaudeTranscript.Total, process: AgentProcess?) {
        let isSame = figures.run != nil && process == self.process
        let before = inheritance(of: process)
        if total.microUSD > max(isSame ? rawMicroUSD : 0, before?.microUSD ?? rawMicroUSD) {
            count(total.microUSD, process, earlier: [], by: total.model)
        } else {
            guard isSame, process != nil, lineProcess == process, total.microUSD == rawMicroUSD else { return }
        }
        // The first part belongs to another conversation of this process.
        guard baseMicroUSD == before?.microUSD ?? 0 || lineProcess != process else { return }
        figures.tokens = total.tokens.less(before?.tokens ?? Tokens())
        unpriced = total.unpriced.less(before?.unpriced ?? ModelShares())
        settle()
        setModel(total.model)
    }

    /// Adds the requests found in a transcript.
    mutating func update(_ used: ClaudeTranscript.Used, process: AgentProcess?) {
        guard used.tokens != Tokens() else { return }
        if figures.run == nil || process != self.process {
            begin(process, base: inheritance(of: process)?.microUSD ?? 0)
            rawMicroUSD = baseMicroUSD
        }
        figures.tokens = figures.tokens.plus(used.tokens)
        unpriced.add(used.unpriced)
        settle()
        setModel(used.model)
    }

    private mutating func setModel(_ model: String?) {
        if let model { figures.model = TextCut.line(model, bytesMax: WireLimits.nameBytesMax) }
    }

    private mutating func begin(_ process: AgentProcess?, base: Int64) {
        if process == self.process, figures.run != nil { resets += 1 } else { resets = 0 }
        self.process = process
        figures.run = (process?.run ?? "0") + (resets > 0 ? "-\(resets)" : "")
        figures.tokens = Tokens()
        figures.costMicroUSD = nil
        figures.estimateMicroUSD = nil
        isPriced = false
        unpriced = ModelShares()
        baseMicroUSD = base
        apiMilliseconds = nil
    }

    /// The event's head with everything that changed since the last one.
    mutating func take(at monotonic: Int64) -> Usage {
        var usage = Usage()
        usage.run = figures.run
        usage.model = figures.model.map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        if figures.run != nil {
            usage.tokens = figures.tokens
            usage.costMicroUSD = figures.costMicroUSD
            let said = sent.run == figures.run ? sent.costMicroUSD ?? 0 : 0
            usage.estimateMicroUSD = figures.estimateMicroUSD
            usage.costDeltaMicroUSD = figures.costMicroUSD.map { max(0, $0 - said) }
        }
        usage.contextUsed = figures.contextUsed
        usage.contextLimit = figures.contextLimit
        sent = figures
        sentAt = monotonic
        return usage
    }

    // MARK: Over a restart

    func write(to writer: inout JSONWriter) {
        if let inherited {
            writer.object("inherited") {
                inherited.process.write(to: &$0)
                $0.field("cost", inherited.total.microUSD)
                $0.object("tokens") { inherited.total.tokens.write(to: &$0) }
                inherited.total.unpriced.write(to: &$0)
            }
        }
        guard figures.run != nil else { return }
        writer.object("usage") {
            $0.field("run", figures.run)
            $0.field("model", figures.model)
            $0.object("tokens") { figures.tokens.write(to: &$0) }
            $0.field("cost", figures.costMicroUSD)
            $0.field("estimate", figures.estimateMicroUSD)
            $0.flag("priced", isPriced)
            unpriced.write(to: &$0)
            $0.field("raw", rawMicroUSD)
            $0.field("base", baseMicroUSD)
            $0.field("api", apiMilliseconds)
            $0.field("resets", Int64(resets))
            $0.flag("line", lineProcess != nil && lineProcess == process)
            process?.write(to: &$0)
            $0.field("used", figures.contextUsed)
            $0.field("limit", figures.contextLimit)
        }
    }

    init() {}

    init(from note: JSONValue) {
        self.init()
        if let value = note.optional("inherited"), let process = AgentProcess(from: value) {
            var total = ClaudeTranscript.Total(microUSD: value.whole("cost") ?? 0)
            if let tokens = value.optional("tokens"), let read = try? Tokens(from: tokens) { total.tokens = read }
            total.unpriced = ModelShares(from: value)
            inherited = (process, total)
        }
        guard let value = note.optional("usage") else { return }
        figures.run = value.text("run")
        figures.model = value.text("model")
        if let tokens = value.optional("tokens"), let read = try? Tokens(from: tokens) { figures.tokens = read }
        figures.costMicroUSD = value.whole("cost")
        figures.estimateMicroUSD = value.whole("estimate")
        // Notes of an earlier version contain only the cost.
        isPriced = value.isTrue("priced") || figures.costMicroUSD != nil
        unpriced = ModelShares(from: value)
        figures.contextUsed = value.whole("used")
        figures.contextLimit = value.whole("limit")
        rawMicroUSD = value.whole("raw") ?? 0
        baseMicroUSD = value.whole("base") ?? 0
        apiMilliseconds = value.whole("api")
        resets = Int(value.whole("resets") ?? 0)
        process = AgentProcess(from: value)
        if value.isTrue("line") { lineProcess = process }
        sent = figures
        sentAt = 0
    }
}
