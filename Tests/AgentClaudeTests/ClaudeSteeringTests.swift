import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: steering as far as hooks and heliograph run allow it")
struct ClaudeSteeringTests {
    private static let session = SessionID("claude-s1")!
    private static let offer = SteeringOffer(actions: [.prompt, .interrupt])

    private func payload(_ event: String, _ rest: String = "") -> String {
        #"{"session_id":"s1","transcript_path":"/home/dev/.claude/projects/-p/s1.jsonl","hook_event_name":"\#(event)"\#(rest)}"#
    }

    private let tool = #","tool_name":"Bash","tool_use_id":"t1","permission_mode":"default","tool_input":{"command":"ls"}"#

    /// A bench in a turn.
    private func running(isAttended: Bool = true) throws -> ClaudeBench {
        var bench = ClaudeBench()
        try bench.call(payload("UserPromptSubmit", #","prompt":"work""#), isAttended: isAttended)
        _ = bench.take()
        return bench
    }

    private func request(_ action: SteeringAction, _ id: String = "k1") -> ClaudeInput {
        let by = Named<ClientTag>(id: ClientID("c1")!, name: "Ada")
        return .steer(SteeringRequest(command: CommandID(id)!, session: Self.session, by: by, action: action))
    }

    private func offers(_ bench: ClaudeBench) -> [SteeringOffer] {
        bench.effects.compactMap {
            if case .offer(_, let offer?) = $0 { offer } else { nil }
        }
    }

    private func outcomes(_ bench: inout ClaudeBench) -> [String] { bench.take().filter { $0.hasPrefix("steering") } }

    private func stops(_ bench: ClaudeBench) -> [String] {
        bench.effects.compactMap {
            if case .restrict(_, let output) = $0 { String(decoding: output, as: UTF8.self) } else { nil }
        }
    }

    // MARK: Its own screen

    @Test("at its own screen it can be interrupted, and is told how it could be more")
    func plain() throws {
        let offer = try #require(offers(try running()).last)
        #expect(offer.actions == [.interrupt, .askAll] && !offer.asksAll)
        #expect(offer.reason?.contains("heliograph claude --resume s1") == true)
        #expect(offers(try running(isAttended: false)).last?.actions == [])
    }

    @Test("an interrupt stops the next tool, which does not run, and is taken when the turn is over")
    func interrupt() throws {
        var bench = try running()
        bench.tell(request(.interrupt))
        #expect(outcomes(&bench) == ["steering: k1 given (it stops before its next tool)"])
        bench.tell(request(.interrupt, "k2"))
        #expect(outcomes(&bench) == ["steering: k2 refused (it is being interrupted already)"])
        try bench.call(payload("PreToolUse", #","agent_id":"a1""# + tool), isHeard: true)
        #expect(stops(bench) == [], "what stops a subagent does not stop its master")
        try bench.call(payload("PreToolUse", tool), isHeard: true)
        let stop = try #require(stops(bench).last)
        #expect(stop.contains(#""continue":false"#) && stop.contains(#""permissionDecision":"deny""#) && stop.contains("Ada"))
        #expect(outcomes(&bench) == [], "that it was told is no evidence")
        bench.registry("idle", after: .seconds(2))
        bench.pass(.seconds(1))
        #expect(outcomes(&bench) == ["steering: k1 taken"])
    }

    @Test("one that stopped a turn is over with the next prompt, and leaves its turn alone")
    func interruptedTurnThenPrompt() throws {
        var bench = try running()
        bench.tell(request(.interrupt))
        try bench.call(payload("PreToolUse", tool), isHeard: true)
        #expect(stops(bench).count == 1)
        try bench.call(payload("UserPromptSubmit", #","prompt":"<task-notification>done</task-notification>""#))
        #expect(outcomes(&bench).last == "steering: k1 given (it stops before its next tool)", "Claude itself wrote that one")
        try bench.call(payload("UserPromptSubmit", #","prompt":"more""#))
        #expect(outcomes(&bench).last == "steering: k1 taken")
        try bench.call(payload("PreToolUse", tool), isHeard: true)
        #expect(stops(bench).count == 1)
    }

    @Test("what comes of an interrupt without a tool, or of one that has no effect")
    func interruptInVain() throws {
        var bench = try running()
        bench.tell(request(.interrupt))
        bench.pass(.seconds(26))
        #expect(outcomes(&bench).last == "steering: k1 refused (it used no tool meanwhile, so nothing could stop it)")
        try bench.call(payload("PreToolUse", tool), isHeard: true)
        #expect(stops(bench) == [], "it is over")
        bench.tell(request(.interrupt, "k2"))
        try bench.call(payload("Stop"))
        #expect(outcomes(&bench).last == "steering: k2 refused (the turn ended by itself)")
        try bench.call(payload("UserPromptSubmit", #","prompt":"more""#))
        bench.tell(request(.interrupt, "k4"))
        try bench.call(payload("PreToolUse", tool), isHeard: true)
        try bench.call(payload("Stop"))
        #expect(outcomes(&bench).last == "steering: k4 refused (the turn ended by itself)", "though it was told: too late")
        try bench.call(payload("UserPromptSubmit", #","prompt":"more""#))
        bench.tell(request(.interrupt, "k3"))
        try bench.call(payload("PreToolUse", tool), isHeard: true)
        bench.pass(.seconds(26))
        #expect(outcomes(&bench).last == "steering: k3 unknown (it was told to stop, and its turn goes on)")
    }

    @Test("while it asks, and for anything else, the answer is no")
    func refused() throws {
        var bench = try running()
        bench.tell(request(.prompt(.init(text: "go on"))))
        #expect(outcomes(&bench) == ["steering: k1 refused (this session does not take prompt)"])
        try bench.call(payload("PermissionRequest", tool))
        bench.tell(request(.interrupt, "k2"))
        #expect(outcomes(&bench) == ["steering: k2 refused (the agent waits for an answer: deny what it asks instead)"])
    }

    // MARK: Its own screen, by messages of other sessions

    private static let entry =
        #"{"sessionId":"SESSION","status":"idle","statusUpdatedAt":1,"messagingSocketPath":"/tmp/cc-socks/4711.sock"}"#

    private func sent(_ bench: ClaudeBench) -> [ClaudePeerMessage] {
        bench.effects.compactMap { if case .own(.sendMessage(let message)) = $0 { message } else { nil } }
    }

    @Test("where its registry says so, a prompt reaches it as a message of another session, and is taken as its next prompt")
    func peerMessage() throws {
        var bench = try running()
        bench.registry(entry: Self.entry)
        let offer = try #require(offers(bench).last)
        #expect(offer.actions == [.prompt, .interrupt, .askAll] && offer.reason?.contains("of another session") == true)
        bench.tell(request(.prompt(.init(text: "go on"))))
        #expect(outcomes(&bench) == ["steering: k1 given (as a message of another session)"])
        let message = try #require(sent(bench).first)
        #expect(sent(bench).count == 1 && message.registryFile == "/home/dev/.claude/sessions/4711.json")
        #expect(
            String(decoding: message.line, as: UTF8.self)
                == #"{"type":"user","message":{"role":"user","content":"go on"},"priority":"next"}"# + "\n")
        let entry = try JSONDocument(parsing: Self.entry.replacing("SESSION", with: "s1")).root
        #expect(message.socket(in: entry) == "/tmp/cc-socks/4711.sock")
        for word in ["shell", "dreaming"] {
            let text = String(decoding: entry.bytes, as: UTF8.self).replacing("idle", with: word)
            #expect(message.socket(in: try JSONDocument(parsing: text).root) != nil, "\(word) does not say that a turn runs")
        }
        for (word, other) in [("s1", "s2"), ("idle", "busy"), ("idle", "waiting")] {
            let text = String(decoding: entry.bytes, as: UTF8.self).replacing(word, with: other)
            #expect(message.socket(in: try JSONDocument(parsing: text).root) == nil, "it has begun something else")
        }
        bench.tell(.own(.messageSent(message.name, Self.session, refusal: nil)))
        try bench.call(payload("UserPromptSubmit", #","prompt":"\n<task-notification>go on</task-notification>""#))
        #expect(outcomes(&bench) == [], "that it was written is no evidence, and what Claude writes is nobody's prompt")
        try bench.call(payload("UserPromptSubmit", #","prompt":"go on""#))
        #expect(outcomes(&bench) == ["steering: k1 taken (as a message of another session)"])
        try bench.call(payload("UserPromptSubmit", #","prompt":"go on""#))
        #expect(outcomes(&bench) == [])
    }

    /// A bench whose message is on its way to the agent.
    private func messaged(_ text: String = "go on", isWritten: Bool = true) throws -> ClaudeBench {
        var bench = try running()
        bench.registry(entry: Self.entry)
        bench.tell(request(.prompt(.init(text: text))))
        if isWritten { bench.tell(.own(.messageSent(try #require(sent(bench).last?.name), Self.session, refusal: nil))) }
        _ = bench.take()
        return bench
    }

    @Test("it is taken once its line is in the transcript, and refused if a hook of the person's own refuses it")
    func peerMessageProven() throws {
        let path = "/home/dev/.claude/projects/-p/s1.jsonl"
        let ending = #""promptSubmitEnding":{"ending":{"kind":"blocked_by_hook","reason":"not this one"},"promptKept":false}"#
        let refused = #"{"type":"system","subtype":"informational",\#(ending)}"# + "\n"
        let words = "a hook refused it before the model saw it: not this one"
        let (taken, unknown) = ("steering: k1 taken (as a message of another session)", "steering: k1 unknown")
        for (line, outcome) in [
            (#"{"type":"user","promptId":"p0"}"# + "\n", unknown), (#"{"type":"user","promptId":"p1"}"# + "\n", taken),
            (refused, "steering: k1 refused (\(words))"), ("", unknown),
        ] {
            var bench = try messaged()
            // An earlier prompt was refused.
            bench.transcripts[path] = refused
            try bench.call(payload("UserPromptSubmit", #","prompt_id":"p1""# + Self.goOn))
            bench.pass(.milliseconds(400))
            #expect(outcomes(&bench) == [], "its hooks may still refuse it")
            bench.transcripts[path]? += line
            bench.pass(.seconds(2))
            let lines = bench.take()
            #expect(lines.contains("error Not taken: \(words)") == (line == refused))
            if line == refused { #expect(lines.contains("status.changed idle")) }
            bench.pass(.seconds(26))
            #expect((lines + bench.take()).last { $0.hasPrefix("steering") }?.hasPrefix(outcome) == true, "\(line): \(lines)")
        }
    }

    private static let goOn = #","prompt":"go on""#
    private static let doubted =
        "steering: k1 unknown (it was sent, and what was taken since may be somebody else's: "
        + "look at the terminal)"

    @Test("a prompt that may be an older one, or the person's at the terminal, is no evidence, though the text is the same")
    func foreignPrompt() throws {
        var bench = try messaged(isWritten: false)
        let name = try #require(sent(bench).first?.name)
        try bench.call(payload("UserPromptSubmit", Self.goOn))
        bench.tell(.own(.messageSent(name, Self.session, refusal: nil)))
        try bench.call(payload("UserPromptSubmit", Self.goOn))
        #expect(outcomes(&bench) == [], "the first was taken before ours was written; whose the second is nobody knows")
        bench.pass(.seconds(26))
        #expect(outcomes(&bench) == [Self.doubted])

        bench = try messaged()
        try bench.call(payload("UserPromptSubmit", #","prompt":"something else""#))
        try bench.call(payload("UserPromptSubmit", Self.goOn))
        bench.pass(.seconds(26))
        #expect(outcomes(&bench) == [Self.doubted], "somebody sits at the terminal")

        bench = try messaged()
        bench.registry("waiting", for: "permission prompt")
        try bench.call(payload("UserPromptSubmit", Self.goOn))
        bench.pass(.seconds(26))
        #expect(outcomes(&bench) == [Self.doubted], "it is held there")
    }

    @Test("a message that did not show in time is no evidence of the next one with the same text")
    func latePrompt() throws {
        var bench = try messaged()
        bench.pass(.seconds(26))
        bench.registry(entry: Self.entry)
        bench.tell(request(.prompt(.init(text: "go on")), "k2"))
        bench.tell(.own(.messageSent(try #require(sent(bench).last?.name), Self.session, refusal: nil)))
        _ = bench.take()
        try bench.call(payload("UserPromptSubmit", Self.goOn))
        #expect(outcomes(&bench) == [])
        bench.pass(.seconds(26))
        #expect(outcomes(&bench).map { $0.hasPrefix("steering: k2 unknown") } == [true])
    }

    @Test("what reads as a notice of Claude Code's own is not sent: nothing could tell whether it was taken")
    func noticeFromAfar() throws {
        var bench = try running()
        bench.registry(entry: Self.entry)
        bench.tell(request(.prompt(.init(text: " <task-notification>done</task-notification>"))))
        #expect(sent(bench).isEmpty)
        #expect(outcomes(&bench).map { $0.hasPrefix("steering: k1 refused (it reads as a notice") } == [true])
        try bench.call(payload("UserPromptSubmit", #","prompt":"\n <task-notification>done</task-notification>""#))
        #expect(!bench.take().contains { $0.contains("task-notification") }, "nor is it told as a person's message")
    }

    @Test("a message that is not written was refused, and one that does not show may be held at the terminal")
    func peerMessageInVain() throws {
        var bench = try running()
        bench.registry(entry: Self.entry)
        bench.tell(request(.prompt(.init(text: "go on"))))
        let name = try #require(sent(bench).first?.name)
        bench.tell(.own(.messageSent(name, Self.session, refusal: "it takes no messages of other sessions")))
        bench.tell(request(.prompt(.init(text: "go on")), "k2"))
        bench.pass(.seconds(26))
        #expect(
            outcomes(&bench) == [
                "steering: k1 given (as a message of another session)",
                "steering: k1 refused (it takes no messages of other sessions)",
                "steering: k2 given (as a message of another session)",
                "steering: k2 unknown (it was sent, and may be held at the terminal: look there)",
            ])
    }

    @Test("one that asks nobody, that nobody sits before, or whose process has another session takes no messages")
    func noPeerMessages() throws {
        var bench = try running()
        bench.registry(entry: Self.entry)
        try bench.call(payload("PreToolUse", tool.replacing("default", with: "bypassPermissions")))
        #expect(offers(bench).last?.actions.contains(.prompt) == false)
        try bench.call(payload("PreToolUse", tool))
        #expect(offers(bench).last?.actions.contains(.prompt) == true)
        bench.registry(entry: Self.entry.replacing("SESSION", with: "other"))
        #expect(offers(bench).last?.actions.contains(.prompt) == false)
        bench = try running(isAttended: false)
        bench.registry(entry: Self.entry)
        #expect(offers(bench).last?.actions == [])
    }

    @Test("its program is gone, and another process has the session by then: what is offered is what its terminal allows")
    func programGoneElsewhere() throws {
        var bench = try running()
        bench.tell(said(.stands(Self.offer, .idle), 91))
        bench.tell(said(.waits, 92))
        bench.process = AgentProcess(id: 4712, startedAt: 100)
        try bench.call(payload("SessionStart", #","source":"resume""#))
        bench.tell(.hookGone(HookToken(rawValue: 92)))
        let offer = try #require(offers(bench).last)
        #expect(offer.actions == [.interrupt, .askAll] && offer.reason?.contains("heliograph claude --resume s1") == true)
    }

    // MARK: Run by heliograph run

    private func said(
        _ word: SteeredWord, _ token: UInt64, by run: ProgramRun? = nil, in process: AgentProcess? = nil
    ) -> ClaudeInput {
        .own(.programSaid(word, Self.session, by: run, in: process, HookToken(rawValue: token)))
    }

    private func answers(_ bench: ClaudeBench, _ token: UInt64) -> [String] {
        bench.effects.compactMap {
            guard case .respond(let to, let output) = $0, to.rawValue == token else { return nil }
            return output.map { String(decoding: $0, as: UTF8.self) } ?? "204"
        }
    }

    @Test(
        "a client interrupts while it asks: the question ends with the turn, and nobody is said to have denied it",
        arguments: [true, false])
    func interruptedWhileItAsks(byClient: Bool) throws {
        var bench = try running()
        bench.tell(said(.stands(Self.offer, .busy), 91))
        try bench.call(payload("PreToolUse", tool))
        let hook = try bench.call(payload("PermissionRequest", tool))
        if byClient { bench.tell(request(.interrupt)) }
        _ = bench.take()
        bench.tell(.hookGone(hook))
        bench.pass(.seconds(5))
        let lines = bench.take()
        let reason = byClient ? "turnEnded" : "deniedLocally"
        #expect(lines.contains("approval.cancelled \(reason)"), "\(lines)")
        #expect(lines.contains("status.changed idle: \(byClient ? "interrupted" : "denied at the terminal")"), "\(lines)")
    }

    @Test("its program says what can be done, fetches, and tells; nothing of it before a hook has told of the session")
    func program() throws {
        var early = ClaudeBench()
        early.tell(said(.stands(Self.offer, .idle), 90))
        #expect(answers(early, 90) == ["204"] && early.events.isEmpty)

        var bench = try running()
        bench.tell(said(.waits, 90))
        #expect(answers(bench, 90) == ["204"])
        bench.tell(said(.stands(Self.offer, .idle), 91))
        #expect(answers(bench, 91) == ["{}"] && offers(bench).last?.actions == [.prompt, .interrupt, .askAll])
        bench.tell(said(.waits, 92))
        bench.tell(request(.prompt(.init(text: "go on"))))
        #expect(answers(bench, 92).first?.contains(#""text":"go on""#) == true)
        let name = SteeringName(client: ClientID("c1")!, command: CommandID("k1")!)
        bench.tell(said(.told(SteeringChange(name, .taken)), 93))
        #expect(outcomes(&bench) == ["steering: k1 taken"] && answers(bench, 93) == ["{}"])
    }

    @Test("its program is gone: what was handed is unknown, what was not is refused, and nothing is offered")
    func programGone() throws {
        var bench = try running()
        bench.tell(said(.stands(Self.offer, .idle), 91))
        bench.tell(said(.waits, 92))
        bench.tell(request(.prompt(.init(text: "go on"))))
        bench.tell(said(.waits, 93))
        bench.tell(.hookGone(HookToken(rawValue: 93)))
        #expect(outcomes(&bench) == ["steering: k1 unknown (the program that runs the session is gone)"])
        #expect(offers(bench).last?.actions == [])
        bench.tell(request(.prompt(.init(text: "go on")), "k2"))
        #expect(outcomes(&bench) == ["steering: k2 refused (this session does not take prompt)"])
    }

    @Test("its session ends: its request is answered")
    func ended() throws {
        var bench = try running()
        bench.tell(said(.stands(Self.offer, .idle), 91))
        bench.tell(said(.waits, 92))
        try bench.call(payload("SessionEnd", #","reason":"other""#))
        #expect(answers(bench, 92) == ["204"])
        bench.tell(said(.stands(Self.offer, .idle), 94))
        #expect(answers(bench, 94) == ["204"])
    }

    // MARK: Resumed

    private static let first = ProgramRun(name: "a", since: 100)
    private static let second = ProgramRun(name: "b", since: 200)

    private func resumed() throws -> ClaudeBench {
        var bench = try running()
        bench.tell(said(.stands(Self.offer, .idle), 91, by: Self.first))
        bench.tell(said(.waits, 92, by: Self.first))
        try bench.call(payload("SessionEnd", #","reason":"other""#))
        bench.pass(.seconds(1))
        bench.process = AgentProcess(id: 4712, startedAt: 199)
        try bench.call(payload("SessionStart", #","source":"resume""#))
        return bench
    }

    @Test("the program that ran it before it ended gets nothing of what is meant for the one that resumed it")
    func leaver() throws {
        var bench = try resumed()
        let offersBefore = offers(bench).count
        bench.tell(said(.stands(Self.offer, .idle), 93, by: Self.first))
        bench.tell(said(.waits, 94, by: Self.first))
        #expect(answers(bench, 93) == ["204"] && answers(bench, 94) == ["204"])
        #expect(offers(bench).count == offersBefore, "nor does it count as there")
        bench.tell(said(.stands(Self.offer, .idle), 95, by: Self.second))
        bench.tell(said(.waits, 96, by: Self.second))
        bench.tell(request(.prompt(.init(text: "go on"))))
        #expect(answers(bench, 96).first?.contains("go on") == true)
        bench.tell(.hookGone(HookToken(rawValue: 94)))
        #expect(offers(bench).last?.actions == Self.offer.actions.union([.askAll]))
    }

    @Test("one that is there long after its session ended has it still")
    func leaverStays() throws {
        var bench = try resumed()
        bench.pass(ClaudeLimits().programLeavesWithin)
        bench.tell(said(.stands(Self.offer, .idle), 93, by: Self.first))
        #expect(answers(bench, 93) == ["{}"])
    }

    @Test("the late end of the process before is not the end of the one that resumed it")
    func lateEnd() throws {
        var bench = try resumed()
        _ = bench.take()
        let present = bench.process
        bench.process = AgentProcess(id: 4711, startedAt: 99)
        try bench.call(payload("SessionEnd", #","reason":"other""#))
        #expect(bench.adapter.isLive(Self.session) && bench.take() == [])
        #expect(bench.effects.contains(.checkAgents([present])), "it may have gone as well")
    }

    @Test("a session that is open by its hooks is not resumed while its process is there")
    func openSession() throws {
        func launch(_ bench: inout ClaudeBench, _ past: String) -> AgentProcess?? {
            let name = SteeringName(client: ClientID("c1")!, command: CommandID("k1")!)
            let launch = Launch(.resume(past), project: "p", agent: "claude")
            bench.tell(.launch(LaunchOrder(name: name, launch: launch, folder: "/p")))
            for case .own(.launch(_, let process)) in bench.effects.reversed() { return .some(process) }
            return nil
        }
        var bench = try running()
        #expect(launch(&bench, "S1") == .some(bench.process))
        #expect(bench.effects.contains(.checkAgents([bench.process])))
        #expect(launch(&bench, "s2") == .some(nil))
        try bench.call(payload("SessionEnd", #","reason":"other""#))
        #expect(launch(&bench, "s1") == .some(nil))
    }

    @Test("what was resumed is there when it offers prompts itself, not when who has it at a terminal does")
    func arrived() throws {
        let (ours, other) = (AgentProcess(id: 5001, startedAt: 300), AgentProcess(id: 5002, startedAt: 301))
        let name = SteeringName(client: ClientID("c1")!, command: CommandID("k1")!)
        func arrivals(_ bench: ClaudeBench) -> Int { bench.effects.count { $0 == .launched(name, .arrived) } }
        var bench = try running()
        bench.tell(said(.stands(Self.offer, .idle), 91, in: ours))
        bench.tell(.launched(name, .began(Self.session, ours)))
        #expect(arrivals(bench) == 0, "that was before it began")
        bench.tell(said(.stands(Self.offer, .idle), 92, in: other))
        bench.tell(said(.stands(SteeringOffer(reason: "not yet"), .idle), 93, in: ours))
        #expect(arrivals(bench) == 0)
        bench.tell(said(.stands(Self.offer, .idle), 94, in: ours))
        bench.tell(said(.stands(Self.offer, .busy), 95, in: ours))
        #expect(arrivals(bench) == 1)
        bench.tell(.launched(name, .began(Self.session, ours)))
        bench.tell(.launched(name, .ended(Self.session, words: "it is open")))
        bench.tell(said(.stands(Self.offer, .idle), 96, in: ours))
        #expect(arrivals(bench) == 1, "it has ended")
    }
}
