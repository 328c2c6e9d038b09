package import HostCore
package import RelayProtocol

/// A read of a session's transcript, and its purpose.
package struct ClaudeTranscriptRequest: Hashable, Sendable {
    package enum Purpose: Hashable, Sendable {
        /// Cost of the conversation before this process took it up.
        case inherited
        /// The conversation from which this one was copied. `isLast`: it is not looked for again.
        case fork(isLast: Bool)
        /// Cost of that conversation at the time of the copy.
        case parent
        /// Usage since the last read, of the process that reported.
        case used(by: AgentProcess)
        /// Usage of a subagent since the last read, in its own transcript.
        case usedBySubagent(String, of: AgentProcess)
        /// The last message of a subagent that has reported its end.
        case rested(String)
        /// Final cost of a process that has left the conversation, which another has open.
        case left(AgentProcess)
        /// The interruption, if the last turn ended with one.
        case interrupted
        /// The place from which this prompt continues. `isLast`: it is not looked for again.
        case continued(prompt: String, isLast: Bool)
        /// The outcome of a submitted prompt, in lines from this offset on; nil before the offset is known.
        case submitted(prompt: String, from: Int?)
        /// Final cost, before the session ends.
        case end(reason: String?, failed: Bool)
    }

    package var session: SessionID
    package var path: String
    package var purpose: Purpose
}

/// The end of a transcript, as much of it as is read at one time, one JSON object a line.
///
/// The file is another program's and undocumented (facts/agents.md 2.7). A line that is torn, cut or unexpected is skipped.
package struct ClaudeTranscript: Sendable {
    /// The total that the agent wrote when it ended: for the whole conversation, including all processes that took part in it and
    /// the conversation from which it was copied.
    struct Total: Equatable, Sendable {
        var microUSD: Int64 = 0
        var tokens = Tokens()
        /// The model that cost the most.
        var model: String?
        var unpriced = ModelShares()
    }

    /// Usage of the messages of one read.
    struct Used: Equatable {
        var tokens = Tokens()
        var model: String?
        var unpriced = ModelShares()
        var lastMessage: String?
    }

    /// Bytes of one read: a turn adds some 100 kB, and the total is the last line.
    package static let bytesMax = 2 << 20

    /// Claude's name of the session.
    let name: String
    let bytes: [UInt8]
    /// Offset of `bytes` in the file.
    let start: Int

    package init(name: String, bytes: [UInt8], start: Int) {
        self.name = name
        self.bytes = bytes
        self.start = start
    }

    var lines: [ArraySlice<UInt8>] {
        // A last line without line feed is still being written.
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return bytes[..<end].split(separator: UInt8(ascii: "\n"))
    }

    /// Offset in the file after the last whole line.
    var end: Int { start + (bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) }

    /// The last total from an offset in the file on.
    func total(from offset: Int = 0) -> Total? {
        last("cost-state", from: offset) { value in
            guard value.text("type") == "cost-state", value.text("sessionId") == name else { return nil }
            return Total(value)
        }
    }

    /// The conversation that made the last of the copied requests; nil if none were copied.
    var parent: String? {
        last("requestSessionId") { value in
            guard let parent = value.text("requestSessionId"), parent != name, SessionID(parent) != nil else { return nil }
            return parent
        }
    }

    /// Identifier of the interruption with which the main conversation ends, or nil.
    var interruption: String? {
        for line in lines.reversed()
        where line.contains(Array(#""type":"user""#.utf8)) || line.contains(Array(#""type":"assistant""#.utf8)) {
            guard let document = try? JSONDocument(parsing: Array(line)),
                ["user", "assistant"].contains(document.root.text("type")), !document.root.isTrue("isSidechain")
            else { continue }
            return InterruptLine.isOne(document) ? document.root.text("uuid") ?? "" : nil
        }
        return nil
    }

    /// True if the last message is Claude Code's own: a hook has sent the agent on after its last answer.
    var isSentOn: Bool {
        let kinds = [#""type":"user""#, #""type":"assistant""#].map { Array($0.utf8) }
        for line in lines.reversed() where kinds.contains(where: { line.contains($0) }) {
            guard let document = try? JSONDocument(parsing: Array(line)) else { continue }
            switch document.root.text("type") {
            case "user": return document.root.isTrue("isMeta")
            case "assistant": return false
            default: continue
            }
        }
        return false
    }

    /// True if the conversation made a request of its own; copied requests come before the first of those.
    var hasOwnRequest: Bool {
        last(#""usage""#) { value in
            value.text("type") == "assistant" && (value.text("requestSessionId") ?? name) == name ? true : nil
        } ?? false
    }

    /// The outcome of the prompt; nil while there is none. A refusal names no prompt, so only one from that offset in the file on is
    /// this prompt's.
    func submission(of prompt: String, from offset: Int) -> SubmissionLine? {
        let words = SubmissionLine.words.map { Array($0.utf8) }
        for line in lines where words.contains(where: { line.contains($0) }) {
            switch (try? JSONDocument(parsing: Array(line))).flatMap(SubmissionLine.init) {
            case .kept(prompt)?: return .kept(prompt: prompt)
            case .refused(let reason)? where start + line.startIndex >= offset: return .refused(reason: reason)
            default: continue
            }
        }
        return nil
    }

    /// Usage from an offset in the file on, without copied requests. A message of several lines repeats its figures on each.
    func used(from offset: Int, after message: String?) -> Used {
        var used = Used(lastMessage: message)
        for line in lines where start + line.startIndex >= offset && line.contains(Array(#""usage""#.utf8)) {
            guard let value = try? JSONDocument(parsing: Array(line)).root, value.text("type") == "assistant",
                value.text("requestSessionId") ?? name == name, let said = value.optional("message"),
                let usage = said.optional("usage"), let id = said.text("id"), id != used.lastMessage
            else { continue }
            used.lastMessage = id
            used.model = said.text("model") ?? used.model
            let tokens = Tokens(usage, as: .request)
            used.tokens = used.tokens.plus(tokens)
            if let model = said.text("model") { used.unpriced.add(model, tokens) }
        }
        return used
    }

    private func last<Found>(_ word: String, from offset: Int = 0, _ read: (JSONValue) -> Found?) -> Found? {
        let needle = Array(word.utf8)
        for line in lines.reversed() where line.contains(needle) {
            guard start + line.startIndex >= offset else { return nil }
            if let document = try? JSONDocument(parsing: Array(line)), let found = read(document.root) { return found }
        }
        return nil
    }
}

extension ClaudeTranscript.Total {
    fileprivate init?(_ value: JSONValue) {
        guard let dollars = value.real("totalCostUSD"), dollars >= 0 else { return nil }
        microUSD = ClaudeUsage.microUSD(dollars)
        var most = -1.0
        // An administrator may have set a price for the model.
        let isGuessed = value.optional("hasUnknownModelCost") == nil || value.isTrue("hasUnknownModelCost")
        for (name, usage) in (try? value.optional("modelUsage")?.members()) ?? [] {
            let used = Tokens(usage, as: .total)
            tokens = tokens.plus(used)
            if isGuessed {
                unpriced.add(name, guessMicroUSD: ClaudeUsage.microUSD(max(0, usage.real("costUSD") ?? 0)), used)
            }
            guard let cost = usage.real("costUSD"), cost > most else { continue }
            (most, model) = (cost, name)
        }
    }
}

extension Tokens {
    /// Claude Code's two spellings of the figures: those of one request, and those of a conversation.
    enum Spelling { case request, total }

    init(_ usage: JSONValue, as spelling: Spelling) {
        func count(_ request: StaticString, _ total: StaticString) -> Int64 {
            usage.whole(spelling == .request ? request : total) ?? 0
        }
        self.init(
            input: count("input_tokens", "inputTokens"), output: count("output_tokens", "outputTokens"),
            cacheRead: count("cache_read_input_tokens", "cacheReadInputTokens"),
            cacheWrite: count("cache_creation_input_tokens", "cacheCreationInputTokens"))
    }
}
