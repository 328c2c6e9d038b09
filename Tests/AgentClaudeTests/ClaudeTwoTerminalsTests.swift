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
}
