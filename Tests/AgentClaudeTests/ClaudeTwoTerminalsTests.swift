import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("one conversation in two terminals")
struct ClaudeTwoTerminalsTests {
    private static let first = AgentProcess(id: 4711, startedAt: 99)
    private static let second = AgentProcess(id: 4712, startedAt: 100)

    private func hook(_ event: String, like call: String) throws -> String {
        let root = try JSONDocument(parsing: call).root
        let (session, path) = (try root.string("session_id"), try root.string("transcript_path"))
        return
            #"{"session_id":"\#(session)","transcript_path":"\#(path)","cwd":"/home/dev/proj","hook_event_name":"\#(event)","source":"resume"}"#
    }

    /// The first terminal has asked; then the second opens the conversation.
    private func opened() throws -> (ClaudeBench, rest: [String]) {
        var (bench, rest) = try ClaudeBench.ask("local-yes-long-tool")
        bench.registry("waiting", for: "permission prompt", after: .milliseconds(50))
        bench.pass(.seconds(1))
        bench.process = Self.second
        try bench.call(hook("SessionStart", like: rest[0]))
        bench.registry("idle", after: .milliseconds(100))
        _ = bench.take()
        return (bench, rest)
    }

    @Test("what the second does is no answer to what the first asks")
    func card() throws {
        var (bench, rest) = try opened()
        bench.pass(.seconds(10))
        #expect(!bench.take().contains { $0.hasPrefix("approval") })
        // Allowed at the first terminal.
        bench.process = Self.first
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        try bench.call(#require(rest.first { $0.contains(#""PostToolUse""#) }))
        #expect(bench.take().contains("approval.cancelled allowedLocally"))
    }

    @Test("a whole turn of the second leaves the first's card open, and the session waits for it")
    func turnElsewhere() throws {
        var (bench, rest) = try opened()
        let prompt = try hook("UserPromptSubmit", like: rest[0]).replacing(#""source":"resume""#, with: #""prompt":"And now?""#)
        try bench.call(prompt)
        try bench.call(hook("Stop", like: rest[0]))
        let lines = bench.take()
        #expect(!lines.contains { $0.hasPrefix("approval") } && lines.last == "status.changed waitingApproval", "\(lines)")
        try bench.decide(.allow)
        #expect(bench.take().contains("hook 1: \(ClaudeBench.allow)"))
    }

    @Test("a hook of the first that goes away denies nothing")
    func hookGone() throws {
        var (bench, _) = try opened()
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        bench.pass(.seconds(4))
        let lines = bench.take()
        #expect(lines.contains("approval.cancelled answeredLocally") && !lines.contains { $0.contains("denied") }, "\(lines)")
    }

    @Test("when the second leaves the first has it, also after a restart of the daemon", arguments: [false, true])
    func left(isRestarted: Bool) throws {
        var (bench, rest) = try opened()
        if isRestarted {
            let (notes, now) = (bench.notes, bench.now)
            bench = ClaudeBench()
            bench.now = now
            bench.process = Self.second
            bench.tell(.daemonStarted(notes: notes))
        }
        try bench.call(hook("SessionEnd", like: rest[0]))
        #expect(!bench.take().contains { $0.hasPrefix("session.ended") })
        #expect(bench.adapter.sessions.values.first?.process == Self.first)
        bench.process = Self.first
        try bench.call(hook("SessionEnd", like: rest[0]))
        #expect(bench.take().contains { $0.hasPrefix("session.ended") })
    }

    @Test("one that has gone meanwhile goes on with nothing", arguments: [false, true])
    func gone(isKilled: Bool) throws {
        var (bench, rest) = try opened()
        let checked = bench.effects.contains {
            if case .checkAgents(let processes) = $0 { processes == [Self.first] } else { false }
        }
        #expect(checked, "it may have been killed before")
        if isKilled {
            bench.tell(.agentGone(Self.first))
        } else {
            bench.process = Self.first
            try bench.call(hook("SessionEnd", like: rest[0]))
            bench.process = Self.second
        }
        #expect(!bench.take().contains { $0.hasPrefix("session.ended") })
        try bench.call(hook("SessionEnd", like: rest[0]))
        #expect(bench.take().contains { $0.hasPrefix("session.ended") })
    }

    // MARK: Money

    private static let path = "/home/dev/.claude/projects/-home-dev-proj/one.jsonl"

    private static func payload(_ event: String, _ more: String = "") -> String {
        #"{"session_id":"one","transcript_path":"\#(path)","cwd":"/home/dev/proj","hook_event_name":"\#(event)"\#(more)}"#
    }

    /// One request: its line in the transcript, and with `dollars` the turn's end, and the status line after it.
    private func turn(_ bench: inout ClaudeBench, by process: AgentProcess, _ message: String, dollars: String?) throws {
        bench.process = process
        try bench.call(Self.payload("UserPromptSubmit", #","prompt":"go""#))
        bench.transcripts[Self.path, default: ""] +=
            #"{"type":"assistant","message":{"id":"\#(message)","model":"claude-opus-5-5","content":[],"#
            + #""usage":{"input_tokens":1000,"output_tokens":150}},"sessionId":"one"}"# + "\n"
        guard let dollars else { return }
        try bench.call(Self.payload("Stop"))
        let line =
            #"{"session_id":"one","cost":{"total_cost_usd":\#(dollars),"total_api_duration_ms":\#(bench.now.monotonic)}}"#
        bench.tell(.statusLineShown(try JSONDocument(parsing: line), process: process))
        bench.pass(.seconds(3))
    }

    private func leave(_ bench: inout ClaudeBench, _ process: AgentProcess, total dollars: String, requests: Int) throws {
        bench.process = process
        bench.transcripts[Self.path]? +=
            #"{"type":"cost-state","sessionId":"one","totalCostUSD":\#(dollars),"hasUnknownModelCost":false,"modelUsage":"#
            + #"{"claude-opus-5-5":{"inputTokens":\#(1_000 * requests),"outputTokens":\#(150 * requests),"costUSD":\#(dollars)}}}"#
            + "\n"
        try bench.call(Self.payload("SessionEnd"))
    }

    /// The sum over all runs, as the relay makes it.
    private func sum(_ bench: ClaudeBench) -> (microUSD: Int64, input: Int64) {
        var last: [String: Usage] = [:]
        for case .usage(let usage) in bench.events.map(\.event.head) { last[usage.run ?? "", default: usage] = usage }
        return (
            last.values.reduce(0) { $0 + ($1.costMicroUSD ?? 0) }, last.values.reduce(0) { $0 + ($1.tokens?.input ?? 0) }
        )
    }

    @Test(
        "each terminal's cost and tokens count once, while both are open and afterwards, also over a restart of the daemon",
        arguments: [(false, false), (true, false), (false, true)])
    func cost(isRestarted: Bool, isKilled: Bool) throws {
        var bench = ClaudeBench()
        try bench.call(Self.payload("SessionStart", #","source":"startup""#))
        try turn(&bench, by: Self.first, "m1", dollars: "0.009")
        bench.process = Self.second
        try bench.call(Self.payload("SessionStart", #","source":"resume""#))
        try turn(&bench, by: Self.second, "m2", dollars: "0.009")
        try turn(&bench, by: Self.second, "m3", dollars: "0.018")
        #expect(sum(bench) == (27_000, 3_000))
        var before = (microUSD: Int64(0), input: Int64(0))
        if isRestarted {
            let (notes, now, transcripts) = (bench.notes, bench.now, bench.transcripts)
            bench = ClaudeBench()
            (bench.now, bench.transcripts) = (now, transcripts)
            bench.tell(.daemonStarted(notes: notes))
            // The second's run is not reported again.
            before = (18_000, 2_000)
        }
        try turn(&bench, by: Self.first, "m4", dollars: "0.018")
        #expect(sum(bench) == (36_000 - before.microUSD, 4_000 - before.input))
        if isKilled {
            bench.tell(.agentGone(Self.second))
        } else {
            try leave(&bench, Self.second, total: "0.018", requests: 2)
        }
        #expect(sum(bench) == (36_000 - before.microUSD, 4_000 - before.input))
        try leave(&bench, Self.first, total: "0.018", requests: 2)
        #expect(bench.take().contains { $0.hasPrefix("session.ended") })
        #expect(sum(bench) == (36_000 - before.microUSD, 4_000 - before.input))
    }

    @Test("the first's cost is its own, though the second was the first to report one; a killed terminal leaves no total")
    func secondFirst() throws {
        var bench = ClaudeBench()
        try bench.call(Self.payload("SessionStart", #","source":"startup""#))
        try turn(&bench, by: Self.first, "m1", dollars: nil)
        bench.process = Self.second
        try bench.call(Self.payload("SessionStart", #","source":"resume""#))
        try turn(&bench, by: Self.second, "m2", dollars: "0.009")
        try turn(&bench, by: Self.second, "m3", dollars: "0.018")
        try turn(&bench, by: Self.second, "m4", dollars: "0.027")
        try turn(&bench, by: Self.first, "m5", dollars: "0.018")
        #expect(sum(bench) == (45_000, 5_000))
        try leave(&bench, Self.second, total: "0.027", requests: 3)
        bench.tell(.agentGone(Self.first))
        #expect(bench.take().contains { $0.hasPrefix("session.ended") })
        #expect(sum(bench) == (45_000, 5_000))
    }
}
