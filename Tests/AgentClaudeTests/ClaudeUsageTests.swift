import AgentTestSupport
import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: usage")
struct ClaudeUsageTests {
    /// The recorded line with another cost and another time spent in requests.
    private func line(_ dollars: String, api: Int, session: String? = nil) throws -> JSONDocument {
        var text = try ClaudeBench.text("statusline.json")
            .replacingOccurrences(of: "0.018000000000000002", with: dollars)
            .replacingOccurrences(of: #""total_api_duration_ms": 140"#, with: #""total_api_duration_ms": \#(api)"#)
        if let session { text = text.replacingOccurrences(of: "ace9b13d-e4d4-4ff9-83c9-6112a557b4dc", with: session) }
        return try JSONDocument(parsing: text)
    }

    private static let path = "/home/dev/.claude/projects/-home-dev-proj/ace9b13d-e4d4-4ff9-83c9-6112a557b4dc.jsonl"

    /// Shows the status line after a request, unless it is only drawn again.
    private func show(_ bench: inout ClaudeBench, _ dollars: String, api: Int, session: String? = nil) throws {
        let usage =
            #"{"input_tokens":1000,"output_tokens":150,"cache_read_input_tokens":5000,"cache_creation_input_tokens":200}"#
        let request = #"{"type":"assistant","message":{"id":"m\#(api)-\#(dollars)","usage":\#(usage)}}"# + "\n"
        if bench.transcripts[Self.path]?.contains(request) != true { bench.transcripts[Self.path, default: ""] += request }
        bench.tell(.statusLineShown(try line(dollars, api: api, session: session), process: bench.process))
    }

    @Test("money in micro-dollars, tokens, context and model, once for a line that is drawn again")
    func first() throws {
        var bench = ClaudeBench()
        try show(&bench, "0.018000000000000002", api: 140)
        try show(&bench, "0.018000000000000002", api: 140)
        #expect(bench.take() == ["session.started proj", "usage 4711-99 18000 +18000"])
        guard case .usage(let usage) = try #require(bench.events.last).event.head else { return }
        #expect(usage.tokens == Tokens(input: 1_000, output: 150, cacheRead: 5_000, cacheWrite: 200))
        #expect(usage.contextUsed == 6_200 && usage.contextLimit == 1_000_000 && usage.model == "claude-opus-5-5")
    }

    @Test("quick requests between two lines count, each once, and a subagent's with its end")
    func quick() throws {
        var bench = ClaudeBench()
        func usage(_ input: Int) -> String { #""usage":{"input_tokens":\#(input),"output_tokens":1}}}"# + "\n" }
        func message(_ id: String, _ input: Int) -> String { #"{"type":"assistant","message":{"id":"\#(id)",\#(usage(input))"# }
        bench.transcripts[Self.path] = message("a", 10) + message("a", 10) + message("b", 20)
        try show(&bench, "0.01", api: 100)
        guard case .usage(let first) = try #require(bench.events.last).event.head else { return }
        #expect(first.tokens?.input == 1_030)
        let folder = Self.path.dropLast(6) + "/subagents"
        let name = "ace9b13d-e4d4-4ff9-83c9-6112a557b4dc"
        func over(_ path: String) -> String {
            #"{"session_id":"\#(name)","hook_event_name":"SubagentStop","agent_id":"a1","agent_transcript_path":"\#(path)"}"#
        }
        bench.transcripts[folder + "/agent-a1.jsonl"] = message("s1", 100) + message("s2", 200)
        bench.transcripts["/elsewhere/agent-a1.jsonl"] = message("s9", 9_000)
        try bench.call(over(folder + "/agent-a1.jsonl"))
        // The subagent got another prompt.
        bench.transcripts[folder + "/agent-a1.jsonl"]! += message("s3", 400)
        try bench.call(over(folder + "/agent-a1.jsonl"))
        try bench.call(over("/elsewhere/agent-a1.jsonl"))
        bench.pass(.seconds(3))
        guard case .usage(let last) = try #require(bench.events.last).event.head else { return }
        #expect(last.tokens?.input == 1_730)
    }

    @Test("the last message counts though it is written after the hook of the end, a subagent's too, and once")
    func late() throws {
        var bench = ClaudeBench()
        let name = "ace9b13d-e4d4-4ff9-83c9-6112a557b4dc"
        let agent = String(Self.path.dropLast(6)) + "/subagents/agent-a1.jsonl"
        func message(_ id: String, _ input: Int) -> String {
            #"{"type":"assistant","message":{"id":"\#(id)","usage":{"input_tokens":\#(input),"output_tokens":1}}}"# + "\n"
        }
        func call(_ event: String, _ more: String = "") throws {
            try bench.call(
                #"{"session_id":"\#(name)","transcript_path":"\#(Self.path)","hook_event_name":"\#(event)"\#(more)}"#)
        }
        func input() -> Int64? {
            bench.events.reversed().lazy.compactMap { event -> Usage? in
                if case .usage(let usage) = event.event.head { usage } else { nil }
            }.first?.tokens?.input
        }
        bench.transcripts[Self.path] = message("a", 1)
        try call("Stop")
        #expect(input() == 1)
        bench.transcripts[Self.path]! += message("b", 20)
        try call("SubagentStop", #","agent_id":"a1","agent_transcript_path":"\#(agent)""#)
        bench.transcripts[agent] = message("s", 300)
        bench.pass(.seconds(2))
        #expect(input() == 321)
        bench.pass(.seconds(60))
        #expect(input() == 321)
        // The line of a request in the middle of a turn.
        try show(&bench, "0.01", api: 100)
        bench.transcripts[Self.path]! += message("c", 4_000)
        bench.pass(.seconds(3))
        #expect(input() == 5_321)
    }

    @Test("a guess at the screen is none of the cost, goes with its model, and becomes one by a price")
    func guessed() throws {
        var bench = ClaudeBench()
        func show(_ dollars: String, api: Int, _ model: String) throws {
            let text = String(decoding: Array(try line(dollars, api: api).root.bytes), as: UTF8.self)
            let other = text.replacingOccurrences(of: #""id": "claude-opus-5-5""#, with: #""id": "\#(model)""#)
            bench.tell(.statusLineShown(try JSONDocument(parsing: other), process: bench.process))
            bench.pass(.seconds(3))
        }
        func usage() -> [Int64?] {
            let last = bench.events.reversed().lazy.compactMap { event -> Usage? in
                if case .usage(let usage) = event.event.head { usage } else { nil }
            }.first
            return [last?.costMicroUSD, last?.estimateMicroUSD]
        }
        func request(_ id: String, _ model: String) -> String {
            #"{"type":"assistant","message":{"id":"\#(id)","model":"\#(model)","usage":{"input_tokens":1000,"output_tokens":0}}}"#
                + "\n"
        }
        try show("0", api: 0, "qwen3:32b")
        bench.transcripts[Self.path] = request("a", "qwen3:32b")
        try show("0.5", api: 100, "qwen3:32b")
        #expect(usage() == [nil, 500_000])
        bench.transcripts[Self.path]! += request("b", "claude-opus-5-5")
        try show("0.7", api: 200, "claude-opus-5-5")
        #expect(usage() == [200_000, 500_000])
        // The next daemon knows both sessions.
        var next = ClaudeBench()
        next.transcripts = bench.transcripts
        next.tell(.daemonStarted(notes: bench.notes))
        bench = next
        try show("0.8", api: 300, "claude-opus-5-5")
        #expect(usage() == [300_000, 500_000])
        bench.tell(.pricesRead(ModelPrices(["qwen3:32b": .init(input: 40_000_000, output: 0, cacheRead: 0, cacheWrite: 0)])))
        bench.pass(.seconds(3))
        #expect(usage() == [340_000, 0])
    }

    @Test("a resumed conversation's last request is not counted again, and the end's total has what no transcript has")
    func whole() throws {
        var bench = ClaudeBench()
        func total(_ dollars: String, _ input: Int) -> String {
            #"{"type":"cost-state","sessionId":"ace9b13d-e4d4-4ff9-83c9-6112a557b4dc","totalCostUSD":\#(dollars),"#
                + #""modelUsage":{"m":{"inputTokens":\#(input),"outputTokens":1,"costUSD":\#(dollars)}}}"# + "\n"
        }
        func call(_ event: String) -> String {
            #"{"session_id":"ace9b13d-e4d4-4ff9-83c9-6112a557b4dc","transcript_path":"\#(Self.path)","hook_event_name":"\#(event)","source":"resume"}"#
        }
        try show(&bench, "0.01", api: 100)
        bench.transcripts[Self.path]! += total("0.01", 1_000)
        bench = { old in
            var next = ClaudeBench()
            next.transcripts = old.transcripts
            return next
        }(bench)
        try bench.call(call("SessionStart"))
        try show(&bench, "0.01", api: 100)
        bench.pass(.seconds(3))
        #expect(!bench.take().contains { $0.hasSuffix("+10000") })
        try show(&bench, "0.02", api: 200)
        bench.pass(.seconds(3))
        bench.transcripts[Self.path]! += total("0.02", 2_007)
        try bench.call(call("SessionEnd"))
        let figures = bench.events.compactMap { if case .usage(let usage) = $0.event.head { usage } else { nil } }
        #expect(figures.last?.tokens?.input == 1_007 && figures.last?.costMicroUSD == 10_000)
        #expect(!figures.contains { ($0.tokens?.input ?? 0) > 1_007 })
    }

    @Test("at most every two seconds, and the last state is always told")
    func throttled() throws {
        var bench = ClaudeBench()
        for (step, dollars) in ["0.01", "0.02", "0.03", "0.04"].enumerated() {
            try show(&bench, dollars, api: 100 + step)
            bench.pass(.milliseconds(300))
        }
        #expect(bench.take() == ["session.started proj", "usage 4711-99 10000 +10000"])
        bench.pass(.seconds(1))
        #expect(bench.take() == ["usage 4711-99 40000 +30000"])
        guard case .usage(let usage) = try #require(bench.events.last).event.head else { return }
        #expect(usage.tokens?.output == 600, "each request counts once")
        bench.pass(.seconds(10))
        #expect(bench.take() == [])
    }

    @Test("the last of it is told before the end of the session")
    func beforeEnd() throws {
        var bench = ClaudeBench()
        try show(&bench, "0.01", api: 100)
        try show(&bench, "0.02", api: 200)
        _ = bench.take()
        try bench.call(
            #"{"session_id":"ace9b13d-e4d4-4ff9-83c9-6112a557b4dc","hook_event_name":"SessionEnd","reason":"other"}"#)
        #expect(bench.take() == ["usage 4711-99 20000 +10000", "session.ended "])
        try show(&bench, "0.03", api: 300)
        #expect(!bench.take().contains { $0.hasPrefix("session") }, "a line that is drawn late brings nobody back")
    }

    @Test("a cost that falls begins another run")
    func reset() throws {
        var bench = ClaudeBench()
        try show(&bench, "0.05", api: 100)
        bench.pass(.seconds(3))
        try show(&bench, "0.01", api: 10)
        #expect(bench.take().suffix(2) == ["usage 4711-99 50000 +50000", "usage 4711-99-1 10000 +10000"])
        guard case .usage(let usage) = try #require(bench.events.last).event.head else { return }
        #expect(usage.tokens?.input == 1_000, "tokens count from zero in it, too")
    }

    @Test("a resumed session counts from zero in its new process, whether Claude took its cost along or not")
    func resumed() throws {
        for (shown, counted) in [("0.07", "20000 +20000"), ("0.02", "20000 +20000")] {
            var bench = ClaudeBench()
            try show(&bench, "0.05", api: 100)
            bench.pass(.seconds(3))
            bench.process = AgentProcess(id: 4712, startedAt: 100)
            try show(&bench, shown, api: 100)
            #expect(bench.take().last == "usage 4712-100 \(counted)")
        }
    }

    @Test("a conversation after /clear does not pay for the one before it")
    func cleared() throws {
        var bench = ClaudeBench()
        try show(&bench, "0.05", api: 100)
        try show(&bench, "0.06", api: 150, session: "second")
        #expect(bench.take().last == "usage 4711-99 10000 +10000")
    }

    @Test("a restarted daemon goes on counting")
    func restarted() throws {
        var bench = ClaudeBench()
        try show(&bench, "0.05", api: 100)
        var next = ClaudeBench()
        next.tell(.daemonStarted(notes: bench.notes))
        try show(&next, "0.05", api: 100)
        #expect(next.take() == [])
        next.pass(.seconds(3))
        try show(&next, "0.06", api: 200)
        #expect(next.take() == ["usage 4711-99 60000 +10000"])
        guard case .usage(let usage) = try #require(next.events.last).event.head else { return }
        #expect(usage.tokens?.output == 300)
    }

    @Test("a line without figures, or with strange ones, tells nothing of money", arguments: ["null", "-1", "\"1\"", "1e300"])
    func strange(_ cost: String) throws {
        var bench = ClaudeBench()
        try show(&bench, cost, api: 100)
        #expect(!bench.lines.contains { $0.hasPrefix("NOT AN EVENT") })
        for (_, event) in bench.events {
            if case .usage(let usage) = event.head { #expect((usage.costMicroUSD ?? 0) <= ClaudeUsage.costMicroUSDMax) }
        }
    }
}
