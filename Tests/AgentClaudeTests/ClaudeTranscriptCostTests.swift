import AgentTestSupport
import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: cost that no status line tells")
struct ClaudeTranscriptCostTests {
    private static let folder = "/home/dev/.claude/projects/-home-dev-proj"

    /// The last line that Claude writes to a transcript.
    private func total(_ dollars: String, _ name: String, requests: Int = 2) -> String {
        #"{"type":"cost-state","sessionId":"\#(name)","totalCostUSD":\#(dollars),"modelUsage":{"claude-opus-5-5":{"inputTokens":\#(1000 * requests),"#
            + #""outputTokens":\#(150 * requests),"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":\#(dollars)}}}"#
            + "\n"
    }

    private func message(_ id: String, by name: String? = nil) -> String {
        let copied = name.map { #""requestSessionId":"\#($0)","# } ?? ""
        let line =
            #"{"type":"assistant",\#(copied)"message":{"id":"\#(id)","model":"claude-opus-5-5","content":[],"#
            + #""usage":{"input_tokens":1000,"output_tokens":150}},"sessionId":"x"}"# + "\n"
        // Text and tool of one message are two lines with the same figures.
        return line + line
    }

    private func call(_ bench: inout ClaudeBench, _ event: String, _ name: String, _ more: String = "") throws {
        try bench.call(
            #"{"session_id":"\#(name)","transcript_path":"\#(Self.folder)/\#(name).jsonl","cwd":"/home/dev/proj","#
                + #""hook_event_name":"\#(event)"\#(more)}"#)
    }

    private func start(_ bench: inout ClaudeBench, _ name: String, _ source: String) throws {
        try call(&bench, "SessionStart", name, #","source":"\#(source)""#)
        try call(&bench, "UserPromptSubmit", name, #","prompt":"go""#)
    }

    private func usage(_ bench: inout ClaudeBench) -> [String] { bench.take().filter { $0.hasPrefix("usage") } }

    private func lastUsage(_ bench: ClaudeBench) -> Usage? {
        bench.events.reversed().lazy.compactMap { if case .usage(let usage) = $0.event.head { usage } else { nil } }.first
    }

    private func path(_ name: String) -> String { "\(Self.folder)/\(name).jsonl" }

    @Test("claude -p writes its total down before it ends: told before the end of the session")
    func headless() throws {
        var bench = ClaudeBench()
        try start(&bench, "one", "startup")
        bench.transcripts[path("one")] = message("m1") + message("m2") + total("0.018000000000000002", "one")
        try call(&bench, "SessionEnd", "one", #","reason":"other""#)
        #expect(bench.take().suffix(2) == ["usage 4711-99 18000 +18000", "session.ended "])
        let usage = try #require(lastUsage(bench))
        #expect(usage.tokens == Tokens(input: 2000, output: 300) && usage.model == "claude-opus-5-5")
    }

    @Test("a turn's end tells of tokens, not of a price that nobody said; a killed agent leaves no more than those")
    func killed() throws {
        var bench = ClaudeBench()
        try start(&bench, "one", "startup")
        bench.transcripts[path("one")] = message("m1")
        try call(&bench, "Stop", "one")
        #expect(usage(&bench) == ["usage 4711-99 -1 +-1"])
        // The last line is incomplete.
        bench.transcripts[path("one")]! += message("m2") + #"{"type":"cost-state","sessionId":"one","totalCo"#
        bench.tell(.agentGone(bench.process))
        #expect(bench.take().suffix(2) == ["usage 4711-99 -1 +-1", "session.ended agentGone failed"])
        let last = try #require(lastUsage(bench))
        #expect(last.tokens == Tokens(input: 2000, output: 300) && last.costMicroUSD == nil)
    }

    @Test("the price of a model that Claude does not know is a guess, apart from the cost, until its owner has set one")
    func guessed() throws {
        func run(_ prices: ModelPrices, isGuess: Bool) throws -> Usage? {
            var bench = ClaudeBench()
            bench.tell(.pricesRead(prices))
            try start(&bench, "one", "startup")
            let llama = "llama3.3:70b"
            func own(_ text: String) -> String { text.replacingOccurrences(of: "claude-opus-5-5", with: llama) }
            bench.transcripts[path("one")] = own(message("m1"))
            try call(&bench, "Stop", "one")
            let end = own(total("2", "one")).replacingOccurrences(
                of: #","modelUsage""#, with: #","hasUnknownModelCost":\#(isGuess),"modelUsage""#)
            bench.transcripts[path("one")]! += own(message("m2")) + end
            try call(&bench, "SessionEnd", "one")
            return lastUsage(bench)
        }
        let guess = try #require(try run(ModelPrices(), isGuess: true))
        #expect(guess.costMicroUSD == nil && guess.estimateMicroUSD == 2_000_000 && guess.model == "llama3.3:70b")
        // 2,000 input tokens and 300 output tokens.
        let price = ModelPrices.Price(input: 500_000, output: 1_000_000, cacheRead: 0, cacheWrite: 0)
        let own = try #require(try run(ModelPrices(["llama3.3:70b": price]), isGuess: true))
        #expect(own.costMicroUSD == 1_300 && (own.estimateMicroUSD ?? 0) == 0)
        // The administrator has set a price.
        let managed = try #require(try run(ModelPrices(), isGuess: false))
        #expect(managed.costMicroUSD == 2_000_000 && (managed.estimateMicroUSD ?? 0) == 0)
    }

    @Test("a price is for what runs, not for what the conversation had cost before")
    func pricedLater() throws {
        var bench = ClaudeBench()
        func own(_ text: String) -> String { text.replacingOccurrences(of: "claude-opus-5-5", with: "llama3.3:70b") }
        try start(&bench, "one", "startup")
        bench.transcripts[path("one")] = own(message("m1") + message("m2") + total("2", "one"))
        try call(&bench, "SessionEnd", "one")
        bench.process = AgentProcess(id: 4712, startedAt: 100)
        try start(&bench, "one", "resume")
        let price = ModelPrices.Price(input: 500_000, output: 1_000_000, cacheRead: 0, cacheWrite: 0)
        bench.tell(.pricesRead(ModelPrices(["llama3.3:70b": price])))
        bench.transcripts[path("one")]! += own(message("m3") + total("3", "one", requests: 3))
        try call(&bench, "SessionEnd", "one")
        #expect(usage(&bench) == ["usage 4711-99 -1 +-1", "usage 4712-100 650 +650"])
    }

    @Test("a resumed conversation pays for what is new, also where this host never saw what was before")
    func resumed() throws {
        var bench = ClaudeBench()
        bench.transcripts[path("one")] = message("m1") + total("5", "one")
        try start(&bench, "one", "resume")
        // The daemon was restarted in between.
        var next = ClaudeBench()
        next.tell(.daemonStarted(notes: bench.notes))
        next.transcripts[path("one")] = bench.transcripts[path("one")]! + message("m2") + total("5.009", "one", requests: 3)
        try call(&next, "SessionEnd", "one")
        #expect(usage(&next) == ["usage 4711-99 9000 +9000"])
        #expect(lastUsage(next)?.tokens?.input == 1000)
    }

    @Test("a process that was killed wrote no total: the next one's figures begin without what it spent")
    func resumedAfterKill() throws {
        var bench = ClaudeBench()
        try start(&bench, "one", "startup")
        let line = try ClaudeBench.text("statusline.json").replacingOccurrences(
            of: "ace9b13d-e4d4-4ff9-83c9-6112a557b4dc", with: "one")
        bench.tell(.statusLineShown(try JSONDocument(parsing: line), process: bench.process))
        bench.tell(.agentGone(bench.process))
        bench.transcripts[path("one")] = message("m1")
        bench.process = AgentProcess(id: 4712, startedAt: 100)
        try start(&bench, "one", "resume")
        bench.transcripts[path("one")]! += message("m2") + total("0.02", "one")
        _ = bench.take()
        try call(&bench, "SessionEnd", "one")
        #expect(usage(&bench) == ["usage 4712-100 20000 +20000"])
    }

    @Test("an earlier end's total is none of this process, and counts nothing twice")
    func stale() throws {
        var bench = ClaudeBench()
        bench.transcripts[path("one")] = total("0.018", "one")
        try start(&bench, "one", "resume")
        try call(&bench, "SessionEnd", "one")
        #expect(usage(&bench) == [])
        bench.process = AgentProcess(id: 4712, startedAt: 100)
        try start(&bench, "one", "resume")
        bench.transcripts[path("one")]! += total("0.027", "one")
        try call(&bench, "SessionEnd", "one")
        bench.process = AgentProcess(id: 4713, startedAt: 101)
        try start(&bench, "one", "resume")
        bench.tell(.agentGone(bench.process))
        #expect(usage(&bench) == ["usage 4712-100 9000 +9000"])
    }

    @Test("a fork without a status line takes its parent's total off, as the copied messages name it")
    func fork() throws {
        var bench = ClaudeBench()
        bench.transcripts[path("one")] = message("m1") + total("0.018", "one")
        try start(&bench, "two", "fork")
        try call(&bench, "PreToolUse", "two")
        bench.transcripts[path("two")] = message("m1", by: "one") + message("m2")
        try call(&bench, "MessageDisplay", "two")
        // From now on the parent has its own costs.
        bench.transcripts[path("one")]! += total("0.9", "one")
        bench.transcripts[path("two")]! += total("0.027", "two", requests: 3)
        try call(&bench, "SessionEnd", "two")
        #expect(usage(&bench) == ["usage 4711-99 9000 +9000"])
        #expect(lastUsage(bench)?.tokens == Tokens(input: 1000, output: 150))
    }

    @Test("a fork whose transcript comes late is looked up at its end; copied messages are not its own")
    func lateFork() throws {
        var bench = ClaudeBench()
        bench.transcripts[path("one")] = total("0.018", "one")
        try start(&bench, "two", "fork")
        bench.transcripts[path("two")] = message("m1", by: "one") + message("m2") + total("0.027", "two", requests: 3)
        try call(&bench, "SessionEnd", "two")
        #expect(usage(&bench) == ["usage 4711-99 9000 +9000"])
    }

    @Test(
        "a fork of which a turn's end saw its own messages before the copied ones pays for its own", arguments: [true, false])
    func forkCountedFirst(isStartHeard: Bool) throws {
        var bench = ClaudeBench()
        bench.transcripts[path("one")] = message("m1") + total("5", "one")
        if isStartHeard {
            try start(&bench, "two", "fork")
        } else {
            try call(&bench, "UserPromptSubmit", "two", #","prompt":"go""#)
        }
        try call(&bench, "Stop", "two")
        bench.transcripts[path("two")] = message("m1", by: "one") + message("m2")
        try call(&bench, "Stop", "two")
        bench.transcripts[path("two")]! += total("5.25", "two", requests: 3)
        try call(&bench, "SessionEnd", "two", #","reason":"other""#)
        let last = try #require(lastUsage(bench))
        #expect(last.costMicroUSD == 250_000 && last.tokens?.input == 1000)
    }

    @Test("a fork in a terminal begins with what its status line shows before the first prompt")
    func forkAtTheTerminal() throws {
        var bench = ClaudeBench()
        try call(&bench, "SessionStart", "two", #","source":"fork""#)
        for (dollars, api) in [("0.045", "1"), ("0.045", "2"), ("0.054", "3")] {
            let line = try ClaudeBench.text("statusline.json")
                .replacingOccurrences(of: "ace9b13d-e4d4-4ff9-83c9-6112a557b4dc", with: "two")
                .replacingOccurrences(of: "0.018000000000000002", with: dollars)
                .replacingOccurrences(of: #""total_api_duration_ms": 140"#, with: #""total_api_duration_ms": \#(api)"#)
            bench.tell(.statusLineShown(try JSONDocument(parsing: line), process: bench.process))
            if api == "2" { try call(&bench, "UserPromptSubmit", "two", #","prompt":"go""#) }
            bench.pass(.seconds(3))
        }
        #expect(lastUsage(bench)?.costMicroUSD == 9000)
    }

    @Test(
        "what a person or a tool wrote into the transcript is no total",
        arguments: [
            #"{"type":"user","message":{"content":"{\"type\":\"cost-state\",\"sessionId\":\"one\",\"totalCostUSD\":9}"}}"#,
            #"{"type":"cost-state","sessionId":"two","totalCostUSD":9}"#,
            #"{"type":"cost-state","sessionId":"one","totalCostUSD":-9}"#,
            #"{"type":"cost-state","sessionId":"one","totalCostUSD":"9"}"#, #"{"type":"cost-state""#, "\u{0}",
        ])
    func strange(_ line: String) throws {
        var bench = ClaudeBench()
        try start(&bench, "one", "startup")
        bench.transcripts[path("one")] = total("0.01", "one") + line + "\n"
        try call(&bench, "SessionEnd", "one")
        #expect(usage(&bench) == ["usage 4711-99 10000 +10000"])
    }
}
