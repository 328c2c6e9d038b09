import AgentTestSupport
import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

/// The delays between hooks and registry were observed with Claude Code 2.1.329.
@Suite("Claude Code: what its session registry tells")
struct ClaudeRegistryTests {
    private static let denied = ["tool.finished failed: Denied at the terminal", "approval.cancelled deniedLocally"]

    /// A bench after a question whose dialog was seen.
    private func asked(_ name: String = "local-No") throws -> (ClaudeBench, rest: [String]) {
        var (bench, rest) = try ClaudeBench.ask(name)
        bench.registry("waiting", for: "permission prompt", after: .milliseconds(30))
        #expect(bench.take() == [])
        return (bench, rest)
    }

    // MARK: Without hooks

    @Test("a session of which no hook tells is shown as one of which nothing is known, and ends without a failure")
    func unheard() throws {
        var bench = ClaudeBench()
        let found = ClaudeUnheard(name: "u1", process: bench.process, folder: "/home/dev/proj")
        bench.tell(.unheardFound(found))
        #expect(
            bench.take() == ["session.started proj", "status.changed stale: its hooks do not run: nothing of it is reported"])
        bench.tell(.unheardFound(found))
        #expect(bench.take() == [])
        bench.tell(.agentGone(bench.process))
        #expect(bench.take() == ["session.ended "])
    }

    @Test("its first hook makes it like any other, and one that hooks tell of is never unheard")
    func heard() throws {
        var bench = ClaudeBench()
        bench.tell(.unheardFound(ClaudeUnheard(name: "u1", process: bench.process, folder: "/home/dev/proj")))
        _ = bench.take()
        try bench.call(#"{"session_id":"u1","hook_event_name":"Notification"}"#)
        #expect(bench.take() == ["status.changed running"])
        bench.tell(.unheardFound(ClaudeUnheard(name: "u1", process: bench.process, folder: "/home/dev/proj")))
        bench.tell(.agentGone(bench.process))
        #expect(bench.take() == ["session.ended agentGone failed"])
    }

    @Test("one whose hooks are stopped by settings says so at once, is not said to be held, and works again with its next hook")
    func stopped() throws {
        var bench = try running()
        bench.registry("busy")
        let name = try #require(bench.session.flatMap { bench.adapter.sessions[$0]?.registryName })
        let settings = ClaudeUnheard.Settings(isConnected: true, isBlocked: true)
        let found = ClaudeUnheard(name: name, process: bench.process, folder: "/home/dev/proj", settings: settings)
        bench.tell(.unheardFound(found))
        bench.tell(.unheardFound(found))
        bench.registry("idle")
        bench.pass(.seconds(5))
        #expect(bench.take() == ["status.changed stale: its hooks do not run: nothing of it is reported"])
        #expect(bench.offered?.hold == .unchanged)
        try bench.call(#"{"session_id":"\#(name)","hook_event_name":"Notification"}"#)
        #expect(bench.take() == ["status.changed running"] && bench.offered?.hold == nil)
    }

    // MARK: At the terminal

    @Test("Yes on a long tool closes the card at once, and the tool's end says nothing more of it")
    func localYes() throws {
        var (bench, rest) = try asked("local-yes-long-tool")
        bench.pass(.seconds(3))
        #expect(bench.take() == [])
        bench.registry("busy", after: .milliseconds(70))
        #expect(bench.take() == [])
        bench.pass(.milliseconds(450))
        #expect(bench.take() == ["approval.cancelled answeredLocally", "hook 1: no decision"])
        for call in rest { try bench.call(call) }
        #expect(!bench.take().contains { $0.hasPrefix("approval") })
    }

    @Test("Yes on a short tool: the end of the tool says that it was allowed")
    func localYesShort() throws {
        var (bench, rest) = try asked("local-yes-long-tool")
        bench.registry("busy", after: .milliseconds(70))
        bench.pass(.milliseconds(100))
        try bench.call(#require(rest.first { $0.contains(#""PostToolUse""#) }))
        #expect(bench.take().first == "approval.cancelled allowedLocally")
    }

    @Test("No, and the hook is ended: the card closes as soon as the turn is seen to be over")
    func localNo() throws {
        var (bench, _) = try asked()
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        bench.registry("idle", after: .milliseconds(60))
        bench.pass(.milliseconds(450))
        #expect(bench.take() == Self.denied + ["status.changed idle: denied at the terminal"])
        bench.pass(.seconds(10))
        #expect(bench.take() == [])
    }

    @Test("a terminal that is closed denied nothing: the entry goes first, the session's end comes 1.5 s later")
    func terminalClosed() throws {
        var (bench, rest) = try asked()
        bench.registryGone()
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        bench.pass(.milliseconds(4_500))
        #expect(bench.take() == [])
        try bench.call(#require(rest.last))
        #expect(bench.take() == ["approval.cancelled sessionEnded", "session.ended "])
    }

    @Test("a process that has gone on with another session has ended this one, though no hook said so")
    func replaced() throws {
        var (bench, _) = try asked()
        bench.registry(entry: #"{"sessionId":"another","status":"idle"}"#)
        bench.pass(.seconds(9))
        #expect(bench.take() == [], "one that begins tells its hook before it writes itself down")
        bench.pass(.seconds(3))
        #expect(bench.take() == ["approval.cancelled sessionEnded", "hook 1: no decision", "session.ended "])
    }

    @Test("an entry that names it again takes that back")
    func replacedForAMoment() throws {
        var (bench, _) = try asked()
        bench.registry(entry: #"{"sessionId":"another","status":"idle"}"#)
        bench.pass(.seconds(5))
        bench.registry("waiting", for: "permission prompt")
        bench.pass(.seconds(30))
        #expect(!bench.take().contains("session.ended "))
    }

    @Test("a hook that ended while its dialog stays says that only the terminal is left")
    func hookEnded() throws {
        var (bench, _) = try asked()
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        bench.pass(.seconds(3))
        #expect(bench.take() == ["approval.cancelled hookEnded"])
        bench.pass(.seconds(2))
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
    }

    @Test("the next dialog of a batch does not close the card that has just been asked")
    func nextDialog() throws {
        var (bench, _) = try asked("remote-allow-12s")
        bench.registry("busy", after: .milliseconds(80))
        bench.registry("waiting", for: "permission prompt", after: .milliseconds(90))
        bench.pass(.seconds(60))
        #expect(bench.take() == [])
        #expect(bench.adapter.approvals.count == 1)
    }

    @Test("a subagent's question is not in the registry: nothing it says closes it")
    func subagent() throws {
        var bench = ClaudeBench()
        for call in try ClaudeBench.recording("subagent") {
            try bench.call(call)
            if call.contains("PermissionRequest") { break }
        }
        bench.registry("waiting", for: "permission prompt")
        bench.registry("busy", after: .milliseconds(100))
        bench.pass(.seconds(10))
        #expect(!bench.take().contains { $0.hasPrefix("approval.cancelled") })
    }

    @Test("a denial in a batch is proven by the transcript, long before the batch is over")
    func denialInBatch() throws {
        var (bench, rest) = try asked("remote-deny")
        try bench.decide(.deny(message: "no"))
        #expect(bench.take() == ["approval.delivered", #"hook 1: {"behavior":"deny","message":"no"}"#])
        let session = try #require(bench.session)
        let follows = bench.effects.contains {
            guard case .own(.followTranscript(session, let path)) = $0 else { return false }
            return path.hasSuffix(".jsonl")
        }
        #expect(follows)
        bench.pass(.milliseconds(200))
        #expect(bench.effects.contains(.own(.readTranscript(session))))
        let call = try #require(bench.requests.last?.head.call)
        func line(_ decision: String, _ call: String) throws -> JSONDocument {
            try JSONDocument(
                parsing:
                    #"{"type":"attachment","attachment":{"type":"hook_permission_decision","decision":"\#(decision)","toolUseID":"\#(call)"}}"#
            )
        }
        bench.tell(.transcriptRead(session, [try line("deny", "another"), try line("allow", call)]))
        #expect(bench.take() == [])
        bench.tell(.transcriptRead(session, [try line("deny", call)]))
        #expect(bench.take() == ["tool.finished failed: no", "approval.applied denied"])
        for call in rest { try bench.call(call) }
        #expect(!bench.take().contains { $0.hasPrefix("approval") || $0.hasPrefix("tool") })
    }

    // MARK: Both at once

    @Test("No at the terminal just before our yes: it never ran")
    func noBeforeAllow() throws {
        var (bench, _) = try asked()
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.delivered", "hook 1: " + ClaudeBench.allow])
        bench.registry("idle", after: .milliseconds(40))
        bench.pass(.milliseconds(450))
        #expect(
            bench.take() == [
                "approval.stale deniedLocally", "tool.finished failed: Interrupted at the terminal",
                "status.changed idle: denied at the terminal",
            ])
    }

    @Test("allowed, under way, then Esc: it ran")
    func allowedThenEscape() throws {
        var (bench, _) = try asked("remote-allow-12s")
        try bench.decide(.allow)
        _ = bench.take()
        bench.registry("busy", after: .milliseconds(70))
        bench.pass(.seconds(1))
        #expect(bench.take() == [])
        bench.writeInterruption()
        bench.registry("idle", after: .milliseconds(60))
        bench.pass(.milliseconds(450))
        #expect(
            bench.take() == [
                "approval.applied ran", "tool.finished failed: Interrupted at the terminal",
                "status.changed idle: interrupted at the terminal",
            ])
    }

    // MARK: Status

    @Test("an idle prompt is idle, not starting")
    func starts() throws {
        var bench = ClaudeBench()
        try bench.call(ClaudeBench.recording("local-No")[0])
        #expect(bench.take() == ["session.started proj"])
        bench.registry("idle", after: .milliseconds(150))
        bench.pass(.seconds(1))
        #expect(bench.take() == ["status.changed idle"])
    }

    @Test("its prompt is free while a command runs in the background, and a word that we do not know proves nothing")
    func statuses() throws {
        func doing(_ more: String) throws -> ClaudeStanding.Doing? {
            ClaudeStanding(try JSONDocument(parsing: #"{"sessionId":"s1",\#(more)}"#).root, session: "s1")?.doing
        }
        #expect(try doing(#""status":"idle""#) == .idle && doing(#""status":"shell""#) == .idle)
        #expect(try doing(#""status":"busy""#) == .busy)
        #expect(try doing(#""status":"waiting","waitingFor":"permission prompt""#) == .asks(.tool))
        #expect(try doing(#""status":"waiting","waitingFor":"input needed""#) == .asks(.question))
        #expect(try doing(#""status":"waiting","waitingFor":"dialog open""#) == .menu)
        #expect(try doing(#""status":"dreaming""#) == .unknown && doing(#""status":7"#) == nil)
    }

    @Test("a name that a person has given it at the terminal is followed, once, and stays over a restart")
    func renamed() throws {
        var bench = try running()
        func entry(_ name: String, by source: String = "user") -> String {
            #"{"sessionId":"SESSION","status":"busy","statusUpdatedAt":1,"name":"\#(name)","nameSource":"\#(source)"}"#
        }
        bench.registry(entry: entry("proj-4a", by: "derived"))
        #expect(bench.take() == [])
        bench.registry(entry: entry("My own name"))
        bench.registry(entry: entry("My own name"))
        #expect(bench.take() == ["session.renamed My own name"])
        let (notes, session) = (bench.notes, bench.session)
        bench = ClaudeBench()
        bench.watched = session
        bench.tell(.daemonStarted(notes: notes))
        bench.registry(entry: entry("My own name"))
        #expect(!bench.take().contains { $0.hasPrefix("session.renamed") })
        bench.registry(entry: entry("Another"))
        #expect(bench.take().contains("session.renamed Another"))
    }

    @Test("Esc in the middle of a turn")
    func interrupted() throws {
        var bench = try running()
        bench.registry("idle", after: .seconds(1))
        #expect(bench.take() == [])
        bench.writeInterruption()
        bench.pass(.milliseconds(450))
        #expect(bench.take() == ["status.changed idle: interrupted at the terminal"])
    }

    @Test(
        "a turn that is over without a hook was interrupted by nobody, unless its transcript says so",
        arguments: [
            nil, #"{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#,
            #"{"type":"user","message":{"content":"and now?"}}"#,
        ] as [String?])
    func endedByItself(after: String?) throws {
        var bench = try running()
        // An interruption of an earlier turn.
        if let after { bench.writeInterruption(more: after + "\n") }
        bench.registry("idle", after: .seconds(1))
        bench.pass(.milliseconds(1_400))
        #expect(bench.take() == [], "its hooks may be late")
        bench.pass(.milliseconds(200))
        #expect(bench.take() == ["status.changed idle"])
    }

    @Test(
        "the program that runs the agent interrupts it, with a denial or without: turn and calls end", arguments: [true, false])
    func interruptedByProgram(isIdleFirst: Bool) throws {
        var (bench, _) = try ClaudeBench.ask("local-yes-long-tool", isAttended: false)
        func registry(_ status: String) {
            bench.registry(entry: #"{"sessionId":"SESSION","entrypoint":"sdk-py","statusUpdatedAt":1,"status":\#(status)}"#)
        }
        registry(#""waiting","waitingFor":"permission prompt""#)
        bench.pass(.seconds(10))
        #expect(bench.take() == [], "it waits for its program, and for the card")
        bench.writeInterruption()
        if isIdleFirst { registry(#""idle""#) }
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        bench.pass(.seconds(4))
        if !isIdleFirst { registry(#""idle""#) }
        bench.pass(.seconds(1))
        #expect(
            bench.take() == [
                "approval.cancelled answeredLocally", "tool.finished failed: Interrupted", "status.changed idle: interrupted",
            ])
    }

    @Test("an interruption counts once")
    func interruptedBefore() throws {
        var bench = try running()
        bench.writeInterruption()
        bench.registry("idle", after: .seconds(1))
        bench.pass(.seconds(1))
        #expect(bench.take() == ["status.changed idle: interrupted at the terminal"])
        try bench.call(#require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("UserPromptSubmit") }))
        bench.registry("busy", after: .milliseconds(100))
        bench.registry("idle", after: .milliseconds(100))
        _ = bench.take()
        bench.pass(.seconds(2))
        #expect(bench.take() == ["status.changed idle"], "its own prompt is not written down yet")
    }

    @Test("after its turn it says what goes on in the background, by its hook and by the registry")
    func background() throws {
        var bench = try running()
        let stop = try #require(ClaudeBench.recording("remote-allow-12s").last { $0.contains(#""Stop""#) })
        func stopped(_ tasks: String) -> String {
            stop.replacing(#""background_tasks": []"#, with: #""background_tasks": [\#(tasks)]"#)
        }
        let command = #"{"id":"b1","type":"shell","status":"running"}"#
        let agent = #"{"id":"a1","type":"subagent","status":"running"}"#
        try bench.call(stopped(command))
        #expect(bench.take().last == "status.changed idle: in the background: a command")
        bench.registry("shell", after: .milliseconds(100))
        bench.pass(.seconds(5))
        #expect(bench.take() == [])
        bench.registry("idle")
        bench.pass(.seconds(2))
        #expect(bench.take() == ["status.changed idle"], "somebody has ended it")
        bench.registry("shell")
        bench.pass(.seconds(2))
        #expect(bench.take() == ["status.changed idle: in the background: a command"])
        try bench.call(stopped(agent + "," + command + "," + command))
        #expect(bench.take() == ["status.changed idle: in the background: a subagent, 2 commands"])
        // The subagent asked, and was answered at the terminal.
        bench.registry("waiting", for: "permission prompt")
        bench.pass(.seconds(2))
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
        bench.registry("busy")
        bench.pass(.milliseconds(700))
        #expect(bench.take() == ["status.changed idle: in the background: a subagent, 2 commands"])
        try bench.call(stopped(""))
        #expect(bench.take() == ["status.changed idle"])
    }

    @Test(
        "a turn that another Stop hook has go on is running again, unless something runs in the background",
        arguments: [true, false])
    func sentOn(hasCommand: Bool) throws {
        var bench = try running()
        bench.registry("busy")
        bench.pass(.seconds(1))
        let stop = try #require(ClaudeBench.recording("remote-allow-12s").last { $0.contains(#""Stop""#) })
        let tasks = hasCommand ? #"{"id":"b1","type":"shell","status":"running"}"# : ""
        try bench.call(stop.replacing(#""background_tasks": []"#, with: #""background_tasks": [\#(tasks)]"#))
        bench.pass(.seconds(4))
        #expect(bench.take().last?.hasPrefix("status.changed idle") == true)
        bench.pass(.seconds(3))
        #expect(bench.take() == (hasCommand ? [] : ["status.changed running"]))
    }

    @Test("a background command is shown again after a restart of the daemon, and stays with a program of ours that hides it")
    func backgroundLater() throws {
        var bench = try running()
        let (notes, now, session) = (bench.notes, bench.now, bench.session)
        bench = ClaudeBench()
        (bench.now, bench.watched) = (now, session)
        bench.tell(.daemonStarted(notes: notes))
        bench.registry("shell")
        bench.pass(.seconds(3))
        #expect(bench.take().last == "status.changed idle: in the background: a command")

        bench = try running()
        let stop = try #require(ClaudeBench.recording("remote-allow-12s").last { $0.contains(#""Stop""#) })
        let payload = stop.replacing(
            #""background_tasks": []"#, with: #""background_tasks": [{"id":"b1","type":"shell","status":"running"}]"#)
        try bench.call(payload, isRun: true)
        bench.registry("idle", after: .milliseconds(100))
        bench.pass(.seconds(3))
        #expect(bench.take().last == "status.changed idle: in the background: a command")
    }

    @Test("a subagent whose end no hook told is over when the turn's end does not list it")
    func lostSubagentStop() throws {
        var bench = ClaudeBench()
        let calls = try ClaudeBench.recording("subagent")
        let started = try #require(calls.first { $0.contains(#""SubagentStart""#) })
        let stop = try #require(calls.last { $0.contains(#""Stop""#) })
        let id = try #require(try JSONDocument(parsing: started).root.text("agent_id"))
        for (isLive, isRestarted) in [(true, false), (false, false), (false, true)] {
            bench = ClaudeBench()
            try bench.call(started)
            if isRestarted {
                let notes = bench.notes
                bench = ClaudeBench()
                bench.tell(.daemonStarted(notes: notes))
            }
            _ = bench.take()
            let task = isLive ? #"{"id":"\#(id)","type":"subagent","status":"running"}"# : ""
            try bench.call(stop.replacing(#""background_tasks": []"#, with: #""background_tasks": [\#(task)]"#))
            #expect(bench.take().contains { $0.hasPrefix("subagent.finished") } == !isLive)
        }
    }

    @Test("a subagent that another SubagentStop hook sends on works again, until it ends")
    func subagentSentOn() throws {
        var bench = ClaudeBench()
        let calls = try ClaudeBench.recording("subagent")
        let started = try #require(calls.first { $0.contains(#""SubagentStart""#) })
        let stopped = try #require(calls.first { $0.contains(#""SubagentStop""#) })
        let path = try #require(try JSONDocument(parsing: stopped).root.text("agent_transcript_path"))
        let (said, feedback) = (#"{"type":"assistant"}"# + "\n", #"{"type":"user","isMeta":true}"# + "\n")
        try bench.call(started)
        bench.transcripts[path] = said
        try bench.call(stopped)
        bench.pass(.milliseconds(1_500))
        #expect(bench.take().last?.hasPrefix("subagent.finished") == true)
        bench.transcripts[path] = said + feedback
        bench.pass(.seconds(1))
        #expect(bench.take().filter { $0.hasPrefix("subagent") }.map { $0.prefix(16) } == ["subagent.started"])
        bench.transcripts[path] = said + feedback + said
        try bench.call(stopped)
        #expect(bench.take().last?.hasPrefix("subagent.finished") == true)
        bench.pass(.seconds(20))
        #expect(!bench.take().contains { $0.hasPrefix("subagent") })
    }

    @Test("the end of the last turn that is read after the next prompt interrupts nothing")
    func lateIdle() throws {
        var bench = try running()
        bench.registry("idle", after: .milliseconds(50))
        bench.registry("busy", after: .milliseconds(100))
        bench.pass(.seconds(10))
        #expect(bench.take() == [])
    }

    @Test("a dialog that no hook was asked about waits at the terminal, until it is answered")
    func dialogWithoutCard() throws {
        var bench = try running()
        bench.registry("waiting", for: "permission prompt", after: .milliseconds(100))
        bench.pass(.milliseconds(900))
        #expect(bench.take() == [])
        bench.pass(.milliseconds(250))
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
        bench.registry("busy", after: .seconds(5))
        bench.pass(.milliseconds(650))
        #expect(bench.take() == ["status.changed running"])
    }

    @Test("a card that is gone leaves its dialog: the session waits at the terminal")
    func cardGone() throws {
        var (bench, _) = try asked("remote-allow-12s")
        bench.pass(.seconds(3_590))
        #expect(bench.take() == ["hook 1: no decision"])
        bench.pass(.seconds(2))
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
    }

    @Test("a menu that the person opened is no dialog of the agent")
    func menu() throws {
        var bench = try running()
        try bench.call(ClaudeBench.recording("remote-allow-12s").last { $0.contains(#""Stop""#) }!)
        _ = bench.take()
        bench.registry("waiting", for: "dialog open")
        bench.pass(.seconds(10))
        #expect(bench.take() == [])
    }

    @Test("without a registry a late notification tells of a dialog that no hook was asked about")
    func notification() throws {
        var bench = try running()
        let told = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("permission_prompt") })
        try bench.call(told)
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
    }

    @Test(
        "what cannot be understood says nothing",
        arguments: [
            "{}", #"{"status":"idle"}"#, #"{"sessionId":7,"status":"idle","statusUpdatedAt":1}"#,
            #"{"sessionId":"SESSION","status":7}"#,
            #"{"sessionId":"SESSION","status":"waiting","waitingFor":"permission prompt","entrypoint":"sdk-cli"}"#,
            #"{"sessionId":"SESSION","status":"waiting","waitingFor":["permission prompt"]}"#,
            #"{"sessionId":"SESSION","status":"dreaming","statusUpdatedAt":"soon"}"#,
        ])
    func unknown(_ entry: String) throws {
        // A dialog of an agent that another program runs is on no screen.
        var bench = try running(isAttended: !entry.contains("sdk-cli"))
        bench.pass(.seconds(1))
        bench.registry(entry: entry)
        bench.pass(.seconds(10))
        #expect(bench.take() == [])
    }

    @Test("the registry is looked at where the transcript says the configuration is, often only while a dialog is open")
    func looks() throws {
        var (bench, _) = try asked()
        let path = "/home/dev/.claude/sessions/4711.json"
        func looks(in duration: Duration) -> Int {
            let before = bench.effects.count
            bench.pass(duration)
            return bench.effects[before...].count {
                $0 == .own(.readRegistry([ClaudeRegistryFile(session: bench.session!, path: path)]))
            }
        }
        #expect(looks(in: .seconds(1)) == 10)
        bench.registry("idle")
        bench.pass(.seconds(1))
        #expect(looks(in: .seconds(10)) == 10)
    }

    private func running(isAttended: Bool = true) throws -> ClaudeBench {
        var bench = ClaudeBench()
        let calls = try ClaudeBench.recording("remote-allow-12s")
        for call in calls[..<2] { try bench.call(call, isAttended: isAttended) }
        #expect(bench.take().last == "status.changed running")
        return bench
    }
}
