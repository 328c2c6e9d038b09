import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("a subagent's question at a terminal, whose dialog opens when its hook is over")
struct ClaudeSubagentQuestionTests {
    /// A bench after a subagent's question that was shown.
    private static func asked(isLinkLive: Bool = true) throws -> ClaudeBench {
        var bench = ClaudeBench(isLinkLive: isLinkLive)
        for call in try ClaudeBench.recording("subagent") {
            let isQuestion = call.contains(#""hook_event_name": "PermissionRequest""#)
            if isQuestion { _ = bench.take() }
            try bench.call(call, dialogWaits: isQuestion)
            if isQuestion { break }
        }
        return bench
    }

    @Test("a relay that goes away does not keep it closed")
    func relayAway() throws {
        var bench = try Self.asked()
        #expect(bench.take().map { $0.hasPrefix("approval.requested") } == [true])
        bench.tell(.linkChanged(isLive: false))
        bench.pass(.seconds(11))
        #expect(bench.take() == ["approval.cancelled relayUnreachable", "hook 1: no decision"])
    }

    @Test("where the relay has been away, nobody is asked")
    func noRelay() throws {
        var bench = try Self.asked(isLinkLive: false)
        bench.pass(.seconds(11))
        #expect(bench.take().last == "hook 1: no decision")
    }

    @Test("a key ends the hook: nobody has denied it, and it waits at the terminal", arguments: [false, true])
    func key(isRestarted: Bool) throws {
        var bench = try Self.asked()
        var token = HookToken(rawValue: 1)
        if isRestarted {
            let session = bench.session
            let (notes, now) = (bench.notes, bench.now)
            bench = ClaudeBench()
            bench.now = now
            bench.tell(.daemonStarted(notes: notes))
            let question = try #require(ClaudeBench.recording("subagent").first { $0.contains("PermissionRequest") })
            token = try bench.call(question, attempt: 2, dialogWaits: true)
            #expect(bench.take() == [])
            bench.watched = session
        }
        _ = bench.take()
        bench.tell(.hookGone(token))
        bench.registry("waiting", for: "permission prompt", after: .milliseconds(200))
        bench.pass(.seconds(5))
        #expect(bench.take() == ["approval.cancelled hookEnded", "status.changed waitingApproval: waits at the terminal"])
    }

    @Test("while nobody types it waits for as long as any question, and is answered from afar")
    func afar() throws {
        var bench = try Self.asked()
        let request = try #require(bench.requests.last).head
        #expect(request.expiresAt == bench.now.wall + 3_590_000)
        _ = bench.take()
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.delivered", "hook 1: " + ClaudeBench.allow])
    }

    @Test("Claude Code says whose question it is, also where that is not strict JSON")
    func told() {
        for (payload, isIt) in [
            (#"{"agent_id":"a1","tool_name":"Bash"}"#, true), (#"{"tool_name":"Bash"}"#, false),
            (#"{"agent_id":"","tool_name":"Bash"}"#, false), (#"{"agent_id":"a1","tool_input":{"command":"\ud83d"}}"#, true),
            (#"{"tool_input":{"agent_id":"a1"}}"#, false), ("", false),
        ] { #expect(ClaudeHook.isOfSubagent(Array(payload.utf8)) == isIt, "\(payload)") }
    }
}
