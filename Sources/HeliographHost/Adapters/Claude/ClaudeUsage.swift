internal import RelayProtocol

/// What a session costs, from Claude's status line.
///
/// Claude's figures count up in one process, over every conversation in it; some versions take a conversation's cost along
/// when it is resumed. Ours count up from zero in each `run`, so that the relay can add runs up.
struct ClaudeUsage: Equatable {
    /// What was last sent, or would be sent now.
    struct Figures: Equatable {
        var run: String?
        var model: String?
        var tokens = Tokens()
        var costMicroUSD: Int64 = 0
        var contextUsed: Int64?
        var contextLimit: Int64?
    }

    private(set) var figures = Figures()
    private(set) var sent = Figures()
    /// By the clock that never jumps; nil before the first.
    private(set) var sentAt: Int64?
    private(set) var process: AgentProcess?
    /// What Claude last said.
    private(set) var rawMicroUSD: Int64 = 0
    /// What Claude said when this run began.
    private var baseMicroUSD: Int64 = 0
    private var apiMilliseconds: Int64?
    private var resets = 0

    static let costMicroUSDMax: Int64 = 1_000_000_000_000

    var isDirty: Bool { figures != sent && sentAt != nil || figures != Figures() && sentAt == nil }

    /// The run that `session.started` names: the one under way if its process is the same.
    func run(of process: AgentProcess?) -> String? {
        if let run = figures.run, process == self.process { return run }
        return process?.run
    }

    /// `earlier` are the figures of other conversations of the same process.
    mutating func update(_ line: JSONValue, process: AgentProcess?, earlier: [Int64]) {
        figures.model =
            line.optional("model")?.text("id").map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) } ?? figures.model
        let context = line.optional("context_window")
        figures.contextLimit = context?.whole("context_window_size") ?? figures.contextLimit
        figures.contextUsed = context?.whole("total_input_tokens") ?? figures.contextUsed
        guard let cost = line.optional("cost"), let dollars = cost.real("total_cost_usd"), dollars >= 0 else { return }
        let raw = Int64(min(dollars * 1_000_000, Double(Self.costMicroUSDMax)).rounded())
        if figures.run == nil {
            // Another conversation of this process, before /clear, has paid for the beginning.
            begin(process, base: earlier.filter { $0 <= raw }.max() ?? 0)
        } else if process != self.process {
            begin(process, base: raw >= rawMicroUSD ? rawMicroUSD : 0)
        } else if raw < rawMicroUSD {
            begin(process, base: 0)
        }
        rawMicroUSD = raw
        figures.costMicroUSD = raw - baseMicroUSD
        addTokens(context?.optional("current_usage"), apiMilliseconds: cost.whole("total_api_duration_ms"))
    }

    private mutating func begin(_ process: AgentProcess?, base: Int64) {
        if process == self.process, figures.run != nil { resets += 1 } else { resets = 0 }
        self.process = process
        figures.run = (process?.run ?? "0") + (resets > 0 ? "-\(resets)" : "")
        figures.tokens = Tokens()
        figures.costMicroUSD = 0
        baseMicroUSD = base
        apiMilliseconds = nil
    }

    /// `current_usage` is of the last request only; the time spent in requests tells a new one from a redrawn line.
    private mutating func addTokens(_ usage: JSONValue?, apiMilliseconds milliseconds: Int64?) {
        guard let usage, let milliseconds, milliseconds > 0, milliseconds != apiMilliseconds else { return }
        apiMilliseconds = milliseconds
        func add(_ key: StaticString, to total: inout Int64) {
            total = min(total + (usage.whole(key) ?? 0), JSONValue.integerMax)
        }
        add("input_tokens", to: &figures.tokens.input)
        add("output_tokens", to: &figures.tokens.output)
        add("cache_read_input_tokens", to: &figures.tokens.cacheRead)
        add("cache_creation_input_tokens", to: &figures.tokens.cacheWrite)
    }

    /// The event's head for all that changed since the last.
    mutating func take(at monotonic: Int64) -> Usage {
        var usage = Usage()
        usage.run = figures.run
        usage.model = figures.model.map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        if figures.run != nil {
            usage.tokens = figures.tokens
            usage.costMicroUSD = figures.costMicroUSD
            usage.costDeltaMicroUSD = max(0, figures.costMicroUSD - (sent.run == figures.run ? sent.costMicroUSD : 0))
        }
        usage.contextUsed = figures.contextUsed
        usage.contextLimit = figures.contextLimit
        sent = figures
        sentAt = monotonic
        return usage
    }

    // MARK: Over a restart

    func write(to writer: inout JSONWriter) {
        guard figures.run != nil else { return }
        writer.object("usage") {
            $0.field("run", figures.run)
            $0.field("model", figures.model)
            $0.object("tokens") { figures.tokens.write(to: &$0) }
            $0.field("cost", figures.costMicroUSD)
            $0.field("raw", rawMicroUSD)
            $0.field("base", baseMicroUSD)
            $0.field("api", apiMilliseconds)
            $0.field("resets", Int64(resets))
            $0.field("pid", process.map { Int64($0.id) })
            $0.field("started", process.map { String($0.startedAt) })
            $0.field("used", figures.contextUsed)
            $0.field("limit", figures.contextLimit)
        }
    }

    init() {}

    init(from note: JSONValue) {
        self.init()
        guard let value = note.optional("usage") else { return }
        figures.run = value.text("run")
        figures.model = value.text("model")
        if let tokens = value.optional("tokens"), let read = try? Tokens(from: tokens) { figures.tokens = read }
        figures.costMicroUSD = value.whole("cost") ?? 0
        figures.contextUsed = value.whole("used")
        figures.contextLimit = value.whole("limit")
        rawMicroUSD = value.whole("raw") ?? 0
        baseMicroUSD = value.whole("base") ?? 0
        apiMilliseconds = value.whole("api")
        resets = Int(value.whole("resets") ?? 0)
        if let pid = value.whole("pid"), let number = Int32(exactly: pid) {
            process = AgentProcess(id: number, startedAt: value.text("started").flatMap(UInt64.init) ?? 0)
        }
        sent = figures
        sentAt = 0
    }
}
