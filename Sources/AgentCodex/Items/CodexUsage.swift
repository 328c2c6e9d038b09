internal import HostCore
internal import RelayProtocol

/// Tokens of a thread. Codex counts them up over the thread's life, and tells no money.
struct CodexUsage {
    /// One more where the count began again.
    private var runNumber: Int64 = 1
    private var total: Int64 = 0

    init() {}

    mutating func take(_ usage: JSONValue, thread: String, model: String?) -> Usage? {
        guard let all = usage.optional("total"), let input = all.whole("inputTokens"), let output = all.whole("outputTokens")
        else { return nil }
        let sum = input + output
        if sum < total { runNumber += 1 }
        guard sum != total else { return nil }
        total = sum
        let (read, written) = (all.whole("cachedInputTokens") ?? 0, all.whole("cacheWriteInputTokens") ?? 0)
        var told = Usage()
        told.run = "\(thread)-\(runNumber)"
        told.model = model
        // What Codex calls input has the cached part in it.
        told.tokens = Tokens(input: max(0, input - read - written), output: output, cacheRead: read, cacheWrite: written)
        told.contextUsed = usage.optional("last")?.whole("totalTokens")
        told.contextLimit = usage.whole("modelContextWindow")
        return told
    }

    // MARK: Over a restart

    func write(to writer: inout JSONWriter) {
        writer.field("run", runNumber)
        writer.field("tokens", total)
    }

    init(from value: JSONValue) {
        runNumber = value.whole("run") ?? 1
        total = value.whole("tokens") ?? 0
    }
}
