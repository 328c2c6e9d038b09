import AgentTestSupport
import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: approvals over a restart of the daemon")
struct ClaudeRestartTests {
    private static let perhaps = "status.changed waitingApproval: may already be answered at the terminal"

    private var permission: String {
        get throws { try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") }) }
    }

    private func restarted(_ bench: ClaudeBench) -> ClaudeBench {
        var next = ClaudeBench()
        next.now = bench.now
        next.tell(.daemonStarted(notes: bench.notes))
        return next
    }

    @Test("a hook that calls again finds its question open, under the same name")
    func reclaim() throws {
        let (bench, rest) = try ClaudeBench.ask("remote-allow-12s")
        let request = try #require(bench.requests.last)
        var next = restarted(bench)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        next.pass(.seconds(3))
        try next.call(call, attempt: 2)
        #expect(next.take() == [Self.perhaps], "nothing is asked twice")
        let decision = Decision(.allow, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
        next.tell(.decided(request.session, request.head.approval, request.head.digest, decision))
        #expect(next.take() == ["status.changed running", "approval.delivered", "hook 1: " + ClaudeBench.allow])
        try next.call(#require(rest.first { $0.contains("PostToolUse") }))
        #expect(next.take() == ["approval.applied ran", "tool.finished ok"])
    }

    @Test("a session that another process went on with, and whose start was lost, is that one's", arguments: [false, true])
    func goesOn(isOver: Bool) throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let session = try #require(bench.requests.last).session
        if isOver { bench.tell(.agentGone(bench.process)) }
        var next = restarted(bench)
        #expect(next.effects.contains { if case .own(.findOpen) = $0 { true } else { false } })
        next.watched = session
        next.process = AgentProcess(id: 4712, startedAt: 100)
        let name = String(session.rawValue.dropFirst("claude-".count))
        next.tell(.openFound([ClaudeUnheard(name: name, process: next.process, folder: nil)]))
        next.tell(.agentGone(bench.process))
        next.registry("idle")
        next.pass(.seconds(2))
        let lines = next.take()
        #expect(lines.contains { $0.hasPrefix("session.started") } && lines.last == "status.changed idle", "\(lines)")
        #expect(!lines.contains { $0.hasPrefix("session.ended") }, "\(lines)")
        next.tell(.agentGone(next.process))
        #expect(next.take().last == "session.ended agentGone failed")
    }

    @Test("a session that is in two terminals stays with the one that had it last")
    func staysWithTheLast() throws {
        var (bench, rest) = try ClaudeBench.ask("remote-allow-12s")
        let (first, second) = (bench.process, AgentProcess(id: 4712, startedAt: 100))
        let call = try JSONDocument(parsing: rest[0]).root
        let (name, path) = (try call.string("session_id"), try call.string("transcript_path"))
        bench.process = second
        try bench.call(
            #"{"session_id":"\#(name)","transcript_path":"\#(path)","cwd":"/home/dev/proj","hook_event_name":"SessionStart","source":"resume"}"#
        )
        var next = restarted(bench)
        next.tell(.openFound([first, second].map { ClaudeUnheard(name: name, process: $0, folder: nil) }))
        #expect(!next.take().contains { $0.hasPrefix("session.started") })
        next.tell(.agentGone(first))
        #expect(!next.take().contains { $0.hasPrefix("session.ended") })
    }

    @Test("a decision that comes before the hook waits for it")
    func decisionBeforeReclaim() throws {
        let (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let request = try #require(bench.requests.last)
        var next = restarted(bench)
        let decision = Decision(.allow, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
        next.tell(.decided(request.session, request.head.approval, request.head.digest, decision))
        #expect(next.take() == [])
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try next.call(call, attempt: 3)
        #expect(next.take() == ["approval.delivered", "hook 1: " + ClaudeBench.allow])
    }

    @Test("a decision that came just before the crash comes again, and has one effect")
    func killedWithADecision() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let request = try #require(bench.requests.last)
        let notes = bench.notes
        try bench.decide(.allow)
        // The decision was not on disk yet, so this run does not know it.
        var next = ClaudeBench()
        next.now = bench.now
        next.tell(.daemonStarted(notes: notes))
        let decision = Decision(
            .allow, client: ClientID("c1")!, clientName: "n", at: bench.now.wall, command: CommandID("k1")!)
        for _ in 0..<2 { next.tell(.decided(request.session, request.head.approval, request.head.digest, decision)) }
        #expect(next.take() == [])
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try next.call(call, attempt: 2)
        #expect(next.take() == ["approval.delivered", "hook 1: " + ClaudeBench.allow])
        next.tell(.decided(request.session, request.head.approval, request.head.digest, decision))
        #expect(next.take() == [])
    }

    @Test("a decision that was on disk when it comes again after the crash is handed over once")
    func killedAfterRecording() throws {
        var (bench, rest) = try ClaudeBench.ask("remote-allow-12s")
        let request = try #require(bench.requests.last)
        try bench.decide(.allow)
        var next = restarted(bench)
        let again = Decision(.allow, client: ClientID("c1")!, clientName: "n", at: 1, command: CommandID("k1")!)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        next.tell(.decided(request.session, request.head.approval, request.head.digest, again))
        try next.call(call, attempt: 2)
        next.tell(.decided(request.session, request.head.approval, request.head.digest, again))
        #expect(next.take() == ["approval.delivered", "hook 1: " + ClaudeBench.allow])
        try next.call(#require(rest.first { $0.contains("PostToolUse") }))
        #expect(next.take() == ["approval.applied ran", "tool.finished ok"])
    }

    @Test("a question that is open again after a restart ends by its date, and within its life whatever the clock says now")
    func deadlineOverRestart() throws {
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        for (jump, left) in [(0, 2_590), (-315_569_520_000, 3_590), (315_569_520_000, 0)] as [(Int64, Int64)] {
            var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
            bench.pass(.seconds(1_000))
            bench.now.wall += jump
            var next = restarted(bench)
            try next.call(call, attempt: 2)
            #expect(next.take() == [Self.perhaps])
            next.pass(.seconds(max(0, left - 1)))
            // The relay's clock may differ from this one, so it is told the end.
            let end = ["approval.cancelled expired", "hook 1: no decision"]
            #expect(next.take() == (left == 0 ? end : []))
            next.pass(.seconds(1))
            #expect(left == 0 || next.take() == end)
        }
    }

    @Test("a hook that does not call again leaves nothing open")
    func noReclaim() throws {
        let (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        var next = restarted(bench)
        next.pass(.seconds(14))
        #expect(next.take() == [])
        next.pass(.seconds(1))
        #expect(next.take() == ["approval.cancelled hostRestarted"])
        #expect(next.notes.values.isEmpty)
    }

    @Test("a dialog whose card went with the daemon waits at the terminal")
    func terminalAfterRestart() throws {
        let (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        var next = restarted(bench)
        next.pass(.seconds(15))
        #expect(next.take() == ["approval.cancelled hostRestarted"])
        next.registry("waiting", for: "permission prompt")
        next.pass(.milliseconds(1_100))
        #expect(next.take() == ["status.changed waitingApproval: waits at the terminal"])
        next.registry("busy", after: .seconds(1))
        next.pass(.milliseconds(500))
        #expect(next.take() == ["status.changed running"])
    }

    @Test("a question that got an answer which its agent does not take waits at the terminal")
    func terminalAfterBadAnswer() throws {
        var bench = try ClaudeBench.askQuestion()
        bench.registry("waiting", for: "input needed")
        _ = bench.take()
        try bench.decide(.answer([Answer(question: "nobody asked", choices: ["Blue"])]))
        #expect(bench.take() == ["approval.stale badAnswer", "hook 1: no decision"])
        bench.pass(.milliseconds(1_100))
        #expect(bench.take() == ["status.changed waitingAnswer: waits at the terminal"])
    }

    @Test("a question of another process goes on with a session that has ended, and one of the process that is gone does not")
    func nextProcess() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let process = bench.process
        bench.tell(.agentGone(process))
        _ = bench.take()
        try bench.call(permission, run: "r2")
        #expect(!bench.take().contains { $0.hasPrefix("session.started") })
        // Its start was lost, because no daemon ran or the disk was full.
        bench.process = AgentProcess(id: process.id + 1, startedAt: process.startedAt + 1)
        try bench.call(permission, run: "r3")
        #expect(bench.take().contains { $0.hasPrefix("session.started") })
    }

    @Test("another input is another question, even when it says that it calls again")
    func reclaimWithOtherInput() throws {
        let (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        var next = restarted(bench)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try next.call(call.replacingOccurrences(of: "echo hi", with: "rm -rf"), attempt: 2)
        #expect(next.take() == ["approval.requested Run: rm -rf > out.txt"])
        #expect(next.adapter.approvals.count == 2)
    }

    @Test("an answer that was handed over just before the crash is handed over again to who asks again")
    func redeliver() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        try bench.decide(.allow)
        var next = restarted(bench)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try next.call(call, attempt: 2)
        #expect(next.take() == ["approval.delivered", "hook 1: " + ClaudeBench.allow])
    }

    @Test("an answer that had arrived before the crash is proven after it")
    func proofAfterRestart() throws {
        var (bench, rest) = try ClaudeBench.ask("remote-allow-12s")
        try bench.decide(.allow)
        var next = restarted(bench)
        next.pass(.seconds(20))
        #expect(next.take() == [])
        try next.call(#require(rest.first { $0.contains("PostToolUse") }))
        #expect(next.take() == ["approval.applied ran", "tool.finished ok"])
    }

    @Test("a hook never gets what was decided for another that asked the same")
    func otherHookAsksTheSame() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let first = try #require(bench.requests.last)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try bench.decide(.allow)
        try bench.call(call, run: "r2")
        let second = try #require(bench.requests.last)
        #expect(first.head.digest == second.head.digest && first.head.approval != second.head.approval)
        var next = restarted(bench)
        try next.call(call, attempt: 2, run: "r2")
        #expect(next.take() == [Self.perhaps], "its own question waits on")
        #expect(next.adapter.desk[second.head.approval]?.token == HookToken(rawValue: 1))
        next.tell(.decided(second.session, second.head.approval, second.head.digest, decision(.deny(message: "no"))))
        #expect(
            next.take() == [
                "status.changed running", "approval.delivered", #"hook 1: {"behavior":"deny","message":"no"}"#,
            ])
    }

    @Test("a hook without a name is asked about anew")
    func unnamedHook() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        try bench.decide(.allow)
        var next = restarted(bench)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try next.call(call, attempt: 2, run: nil)
        #expect(next.take() == [ClaudeBench.asked])
    }

    private func decision(_ verdict: Decision.Verdict) -> Decision {
        Decision(verdict, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
    }

    @Test("a decision that comes while the hook's connection is broken waits for the same hook")
    func decisionWhileLost() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        try bench.decide(.allow)
        #expect(bench.take() == [])
        bench.pass(.milliseconds(500))
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        var other = bench
        try other.call(call, attempt: 2, run: "r2")
        #expect(other.take() == [ClaudeBench.asked])
        try bench.call(call, attempt: 2)
        #expect(bench.take() == ["approval.delivered", "hook 2: " + ClaudeBench.allow])
    }

    @Test("an answer that was handed over just before the crash is handed over again to who asks again, if it is short")
    func redeliverAnswer() throws {
        var bench = try ClaudeBench.askQuestion()
        try bench.decide(.answer([Answer(question: "q0", choices: ["Blue"])]))
        let answered = try #require(bench.take().last)
        #expect(answered.contains(#""answers":{"Which color?":"Blue"}"#))
        var next = restarted(bench)
        try next.call(ClaudeBench.text("hook-PermissionRequest.AskUserQuestion.json"), attempt: 2)
        #expect(next.take() == ["approval.delivered", answered])
    }

    @Test("a question is answered after a restart, though its words were not remembered")
    func answerAfterRestart() throws {
        let bench = try ClaudeBench.askQuestion()
        let request = try #require(bench.requests.last)
        var next = restarted(bench)
        next.pass(.seconds(12))
        try next.call(ClaudeBench.text("hook-PermissionRequest.AskUserQuestion.json"), attempt: 20)
        #expect(next.take() == ["status.changed waitingAnswer: may already be answered at the terminal"])
        let answer = decision(.answer([Answer(question: "q0", choices: ["Blue"])]))
        next.tell(.decided(request.session, request.head.approval, request.head.digest, answer))
        let lines = next.take()
        #expect(lines[..<2] == ["status.changed running", "approval.delivered"])
        #expect(lines[2].contains(#""answers":{"Which color?":"Blue"}"#))
    }

    @Test("a hook that comes back after it was given up is asked anew")
    func lateReclaim() throws {
        let (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        var next = restarted(bench)
        next.pass(.seconds(20))
        #expect(next.take() == ["approval.cancelled hostRestarted"])
        try next.call(permission, attempt: 40)
        #expect(next.take() == [ClaudeBench.asked])
    }

    @Test("answered at the terminal while no daemon ran: the registry closes the card when its hook is back")
    func answeredMeanwhile() throws {
        let (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        var next = restarted(bench)
        try next.call(permission, attempt: 2)
        #expect(next.take() == [Self.perhaps])
        next.registry("busy")
        next.pass(.milliseconds(600))
        #expect(next.take().contains("approval.cancelled answeredLocally"))
    }

    @Test("an agent that is idle after a restart was not seen to be denied", arguments: [false, true])
    func idleMeanwhile(_ isSeen: Bool) throws {
        let (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        var next = restarted(bench)
        try next.call(permission, attempt: 2)
        #expect(next.take() == [Self.perhaps])
        if isSeen { next.registry("waiting", for: "permission prompt") }
        next.registry("idle", after: .milliseconds(30))
        next.pass(.milliseconds(600))
        let lines = next.take()
        #expect(lines.contains("approval.cancelled " + (isSeen ? "deniedLocally" : "answeredLocally")))
        #expect(lines.contains { $0.contains("denied at the terminal") } == isSeen)
    }

    @Test("what is remembered of a decision is small, however long it is")
    func longDecision() throws {
        var bench = try ClaudeBench.askQuestion()
        let long = String(repeating: "\u{1}", count: WireLimits.answersBytesMax - 64)
        try bench.decide(.answer([Answer(question: "q0", choices: [], text: long)]))
        #expect(bench.take().first == "approval.delivered")
        #expect(bench.notes.values.allSatisfy { $0.count < 4_096 })
        var next = restarted(bench)
        try next.call(ClaudeBench.text("hook-PermissionRequest.AskUserQuestion.json"), attempt: 2)
        #expect(next.take() == ["approval.stale hostRestarted", "hook 1: no decision"])
        var (denied, _) = try ClaudeBench.ask("remote-deny")
        try denied.decide(.deny(message: long))
        #expect(denied.notes.values.allSatisfy { $0.count < 10_000 })
    }

    @Test("names that a hook tells are bounded before they are remembered")
    func longNames() throws {
        var bench = ClaudeBench()
        let long = String(repeating: "p", count: 300_000)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        let members = ["prompt_id", "agent_id", "cwd", "transcript_path"].map { #""\#($0)": "/\#(long)""# }
        var rest = call
        for name in ["prompt_id", "agent_id", "cwd", "transcript_path"] {
            rest = rest.replacingOccurrences(of: "\"\(name)\"", with: "\"was_\(name)\"")
        }
        try bench.call("{" + members.joined(separator: ",") + "," + rest.dropFirst())
        #expect(bench.requests.count == 1 && bench.notes.count == 2)
        #expect(bench.notes.values.allSatisfy { $0.count < 16 << 10 })
    }

    @Test("a call that ended before its hook came back closes the card, and nothing is asked again")
    func endedBeforeReclaim() throws {
        let (bench, rest) = try ClaudeBench.ask("remote-allow-12s")
        var next = restarted(bench)
        try next.call(#require(rest.first { $0.contains("PostToolUse") }))
        #expect(next.take() == ["approval.cancelled allowedLocally", "tool.finished ok"])
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try next.call(call, attempt: 2)
        #expect(next.take() == ["hook 1: no decision"])
    }
}
