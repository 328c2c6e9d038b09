internal import HostCore
internal import RelayProtocol

/// Cost, tokens and context: cumulative over the session, and reported only when they change.
///
/// By the protocol's fields the tokens of an answer are those of all turns, by its text those of one turn. Both exist: a number
/// that falls shows an agent that counts each turn, and pydantic-acp is known to be one.
struct UsageReader {
    /// Tokens of one answer, as the agent reports them.
    private struct Counted {
        let input: Int64
        let output: Int64
        let read: Int64
        let written: Int64

        func isLess(than other: Counted) -> Bool {
            input < other.input || output < other.output || read < other.read || written < other.written
        }
    }

    private let run: String
    private var known = Usage()
    /// True if the agent counts each turn anew.
    private var countsTurns = false
    /// True if the agent counts cached tokens as input, and once more in the sum (pydantic-acp 1.10).
    private var sumsCacheTwice = false
    /// True if the agent's costs are Claude Code's.
    private var wrapsClaude = false
    var model: String?
    private var lastAnswer: Counted?
    /// Tokens of all answers together.
    private var ofAllAnswers = Tokens()

    init(run: String) { self.run = run }

    mutating func agent(is name: String) {
        wrapsClaude = name.lowercased().contains("claude")
        guard name.lowercased().contains("pydantic") else { return }
        countsTurns = true
        sumsCacheTwice = true
    }

    /// Takes a `usage_update`.
    mutating func take(update: JSONValue) -> Told? {
        var next = known
        next.contextUsed = update.whole("used") ?? next.contextUsed
        next.contextLimit = update.whole("size") ?? next.contextLimit
        // Amounts in another currency cannot be added to the rest.
        if let cost = update.optional("cost"), cost.text("currency") == "USD", let amount = cost.real("amount"),
            let sum = Self.micro(amount)
        {
            add(sum, to: &next)
        }
        return tell(next)
    }

    /// Claude Code's own words for its models.
    private static let aliases = ["default", "best", "sonnet", "opus", "haiku"]

    private var isGuess: Bool {
        guard wrapsClaude, let model else { return false }
        return !ClaudePrices.know(model) && !Self.aliases.contains(where: model.lowercased().hasPrefix)
    }

    /// Takes the cost of all models so far. What has come with a model whose price Claude Code only guesses is no cost.
    private func add(_ sum: Int64, to next: inout Usage) {
        if isGuess {
            next.estimateMicroUSD = max(0, sum - (known.costMicroUSD ?? 0))
        } else {
            next.costMicroUSD = max(0, sum - (known.estimateMicroUSD ?? 0))
        }
    }

    /// Takes the `usage` of the answer to a prompt.
    mutating func take(answer: JSONValue) -> Told? {
        guard let input = answer.whole("inputTokens"), let output = answer.whole("outputTokens") else { return nil }
        let read = answer.whole("cachedReadTokens") ?? 0
        let written = answer.whole("cachedWriteTokens") ?? 0
        // Only the sum shows whether cached tokens are part of the input.
        let isWithin = sumsCacheTwice || answer.whole("totalTokens").map { $0 < input + output + read + written } ?? false
        let counted = Counted(input: input, output: output, read: read, written: written)
        if let lastAnswer, counted.isLess(than: lastAnswer) { countsTurns = true }
        lastAnswer = counted
        let fresh = isWithin ? max(0, input - read - written) : input
        let tokens = Tokens(input: fresh, output: output, cacheRead: read, cacheWrite: written)
        ofAllAnswers = ofAllAnswers.plus(tokens)
        var next = known
        next.tokens = countsTurns ? ofAllAnswers : tokens
        return tell(next)
    }

    /// Takes OpenHands' metrics, which come with each update instead of `usage_update`.
    mutating func take(metrics: JSONValue) -> Told? {
        var next = known
        if let input = metrics.whole("input_tokens"), let output = metrics.whole("output_tokens"), input + output > 0 {
            let read = min(input, metrics.whole("cache_read_tokens") ?? 0)
            next.tokens = Tokens(input: input - read, output: output, cacheRead: read)
        }
        // OpenHands reports zero for a model whose price it does not know.
        if let cost = metrics.real("cost"), cost > 0 { next.costMicroUSD = Self.micro(cost) ?? next.costMicroUSD }
        return tell(next)
    }

    private mutating func tell(_ next: Usage) -> Told? {
        var next = next
        next.run = run
        let hasNews =
            next.tokens != nil || next.costMicroUSD != nil || next.estimateMicroUSD != nil || (next.contextUsed ?? 0) > 0
        guard next != known, hasNews else { return nil }
        known = next
        return Told(.usage(next))
    }

    /// Micro-dollars; nil beyond a million dollars, which is a mistake.
    private static func micro(_ dollars: Double) -> Int64? {
        (0...1_000_000).contains(dollars) ? Int64((dollars * 1_000_000).rounded()) : nil
    }
}
