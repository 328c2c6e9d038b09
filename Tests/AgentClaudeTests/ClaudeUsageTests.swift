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

    private func show(_ bench: inout ClaudeBench, _ dollars: String, api: Int, session: String? = nil) throws {
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
