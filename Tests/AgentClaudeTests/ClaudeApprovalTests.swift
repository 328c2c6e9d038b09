import AgentTestSupport
import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: approvals")
struct ClaudeApprovalTests {
    private static let started = [
        "session.started proj", "session.renamed create out.txt", "message user: create out.txt", "status.changed running",
    ]

    // MARK: From afar

    @Test("allowed from afar, the tool runs")
    func remoteAllow() throws {
        var bench = ClaudeBench()
        let calls = try ClaudeBench.recording("remote-allow-12s")
        for call in calls[..<5] { try bench.call(call) }
        #expect(
            bench.take() == Self.started + [
                "message assistant: Now run.", "tool.started Running: echo hi > out.txt", ClaudeBench.asked,
            ])
        try bench.call(calls[5])
        #expect(bench.take() == [], "a notification comes late and says nothing new")
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.delivered", "hook 1: " + ClaudeBench.allow])
        for call in calls[6...] { try bench.call(call) }
        #expect(
            bench.take() == [
                "approval.applied ran", "tool.finished ok", "message assistant: All done.", "status.changed idle",
                "session.ended ",
            ])
        #expect(bench.adapter.approvals.isEmpty)
    }

    @Test("the card has the whole input, its digest, the call and an end")
    func card() throws {
        let (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let request = try #require(bench.requests.last).head
        let input = #"{"command": "echo hi > out.txt", "description": "Create out.txt"}"#
        #expect(bench.adapter.approvals.first?.inputDigest == bench.adapter.digests.input(tool: "Bash", Array(input.utf8)))
        #expect(request.digest == bench.adapter.approvals.first?.digest)
        #expect(request.call == "toolu_fba2ae0c087c47358f018cdc")
        #expect(request.expiresAt == bench.now.wall + 3_590_000)
        #expect(!request.isCut && !request.isRedacted && request.kind == .tool)
        #expect(
            request.alert
                == RequestWords(
                    full: "command: echo hi > out.txt\ndescription: Create out.txt", summary: "Run: echo hi > out.txt",
                    isWhole: true))
        #expect(try bench.body(.approvalRequested).required("input").string("command") == "echo hi > out.txt")
    }

    @Test("denied from afar, the model reads why")
    func remoteDeny() throws {
        var (bench, rest) = try ClaudeBench.ask("remote-deny")
        try bench.decide(.deny(message: "Denied from phone: use touch"))
        #expect(
            bench.take() == ["approval.delivered", #"hook 1: {"behavior":"deny","message":"Denied from phone: use touch"}"#])
        for call in rest { try bench.call(call) }
        #expect(
            bench.take() == [
                "message assistant: Now run.", "approval.applied denied", "tool.finished failed: Denied from phone: use touch",
                "message assistant: All done.", "status.changed idle", "session.ended ",
            ])
    }

    @Test("denied without a word, the model learns who")
    func denyWithoutMessage() throws {
        var (bench, _) = try ClaudeBench.ask("remote-deny")
        try bench.decide(.deny(message: nil))
        #expect(bench.take().last == #"hook 1: {"behavior":"deny","message":"Denied by Ada's phone through Heliograph."}"#)
    }

    @Test("a tool that runs in spite of our no was allowed at the terminal")
    func denyLost() throws {
        var (bench, rest) = try ClaudeBench.ask("local-yes-long-tool")
        try bench.decide(.deny(message: "no"))
        _ = bench.take()
        for call in rest { try bench.call(call) }
        #expect(bench.take().contains("approval.stale allowedLocally"))
    }

    @Test("a short denial is not found in any output that has its letters")
    func shortDenial() throws {
        var (bench, rest) = try ClaudeBench.ask("local-yes-long-tool")
        try bench.decide(.deny(message: "no"))
        _ = bench.take()
        // "(Bash completed with no output)" comes before PostToolUse here.
        let batch = try #require(rest.first { $0.contains("PostToolBatch") })
        try bench.call(batch)
        #expect(bench.take() == [], "its own end may still come")
        bench.pass(.seconds(1))
        #expect(bench.take() == ["approval.stale answeredLocally", "tool.finished failed: (Bash completed with no output)"])
    }

    @Test(
        "a program that denies in words of its own has not allowed it, whoever else decided", arguments: [nil, "allow", "deny"])
    func deniedByAProgram(decision: String?) throws {
        var (bench, rest) = try ClaudeBench.ask("local-yes-long-tool", isAttended: false)
        if let decision { try bench.decide(decision == "allow" ? .allow : .deny(message: "not now")) }
        _ = bench.take()
        let batch = try #require(rest.first { $0.contains("PostToolBatch") })
        try bench.call(batch.replacing("(Bash completed with no output)", with: "The program says no"))
        let end =
            ["allow": "stale unconfirmed", "deny": "stale answeredLocally"][decision ?? ""] ?? "cancelled answeredLocally"
        bench.pass(.seconds(1))
        let lines = bench.take()
        #expect(lines.first == "approval.\(end)" && !lines.contains { $0.contains("allowed") || $0.contains("applied") })
        #expect(lines.contains { $0.hasPrefix("tool.finished \(decision == "allow" ? "ok" : "failed")") }, "\(lines)")
    }

    @Test("the hook of one that a program answered ends either way: what ran is told by its end", arguments: [false, true])
    func answeredByAProgram(isSlow: Bool) throws {
        var (bench, rest) = try ClaudeBench.ask("local-yes-long-tool", isAttended: false)
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        if isSlow { bench.pass(.seconds(5)) }
        try bench.call(#require(rest.first { $0.contains(#""PostToolUse""#) }))
        let end = "approval.cancelled \(isSlow ? "answeredLocally" : "allowedLocally")"
        #expect(bench.take() == [end, "tool.finished ok"])
    }

    @Test("nothing shows what became of our yes: stale when the turn is over")
    func unconfirmed() throws {
        var (bench, rest) = try ClaudeBench.ask("remote-deny-interrupt")
        try bench.decide(.allow)
        _ = bench.take()
        try bench.call(#require(rest.first { $0.contains("MessageDisplay") }))
        #expect(bench.take() == ["message assistant: Now run."])
        try bench.call(
            ClaudeBench.recording("remote-deny").first { $0.contains(#""Stop""#) }!.replacingOccurrences(
                of: "138bdeb7-d9b5-43c6-8f72-47c71a987500", with: "35b7a310-96ff-40ac-9e0e-b52c683f64fc"))
        #expect(bench.take() == ["approval.stale unconfirmed", "status.changed idle"])
    }

    // MARK: At the terminal

    @Test("Yes at the terminal, seen when the long tool ends")
    func localYes() throws {
        var (bench, rest) = try ClaudeBench.ask("local-yes-long-tool")
        bench.pass(.seconds(20))
        #expect(bench.take() == [])
        for call in rest { try bench.call(call) }
        #expect(
            bench.take() == [
                "message assistant: Long.", "approval.cancelled allowedLocally", "hook 1: no decision", "tool.finished ok",
                "message assistant: All done.", "status.changed idle", "session.ended left at the prompt",
            ])
    }

    @Test("No at the terminal ends the hook, and nothing else says so")
    func localNo() throws {
        var (bench, _) = try ClaudeBench.ask("local-No")
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        #expect(bench.take() == [])
        bench.pass(.milliseconds(2_999))
        #expect(bench.take() == [], "it could be the end of the session, which says so up to 1.5 s later")
        bench.pass(.milliseconds(1))
        #expect(
            bench.take() == [
                "tool.finished failed: Denied at the terminal", "approval.cancelled deniedLocally",
                "status.changed idle: denied at the terminal",
            ])
    }

    @Test("a hook that gave up on a daemon that was stopped was denied by nobody")
    func stopped() throws {
        var (bench, _) = try ClaudeBench.ask("local-No")
        bench.now.monotonic += 60_000
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        bench.pass(.seconds(1))
        #expect(bench.take() == ["approval.cancelled hostRestarted"])
        bench.pass(.seconds(9))
        #expect(bench.take() == [], "and the agent is not said to be idle")
    }

    @Test("the end of the session ends the hook as well, and says so in time")
    func sessionEnds() throws {
        var (bench, rest) = try ClaudeBench.ask("local-No")
        bench.tell(.hookGone(HookToken(rawValue: 1)))
        bench.pass(.milliseconds(300))
        try bench.call(#require(rest.last))
        #expect(bench.take() == ["approval.cancelled sessionEnded", "session.ended "])
    }

    @Test("No with feedback leaves the hook waiting; the batch tells")
    func localNoWithFeedback() throws {
        var (bench, rest) = try ClaudeBench.ask("local-No-with-feedback")
        for call in rest { try bench.call(call) }
        let lines = bench.take()
        #expect(lines[1...2] == ["approval.cancelled deniedLocally", "hook 1: no decision"])
        #expect(lines[3].hasPrefix("tool.finished failed: The user doesn't want to proceed"))
    }

    @Test("an agent that was killed tells nobody")
    func agentKilled() throws {
        var (bench, _) = try ClaudeBench.ask("local-No")
        bench.pass(.seconds(1))
        #expect(bench.effects.last == .checkAgents([bench.process]))
        bench.tell(.agentGone(bench.process))
        #expect(
            bench.take() == ["approval.cancelled agentGone", "hook 1: no decision", "session.ended agentGone failed"])
    }

    // MARK: Parallel and subagents

    @Test("two tools at once, one prompt after the other")
    func parallel() throws {
        var bench = ClaudeBench()
        let calls = try ClaudeBench.recording("parallel-tools")
        for call in calls {
            try bench.call(call)
            guard call.contains(#""PreToolUse""#) else { continue }
            try bench.call(ClaudeBench.request(for: call))
            if call.contains("a.txt") { try bench.decide(.allow) }
        }
        #expect(
            bench.take() == [
                "session.started proj", "session.renamed go", "message user: go", "status.changed running",
                "tool.started Running: echo a > a.txt", "approval.requested Run: echo a > a.txt", "approval.delivered",
                "hook 1: " + ClaudeBench.allow, "message assistant: Two at once.", "approval.applied ran", "tool.finished ok",
                "tool.started Running: echo b > b.txt", "approval.requested Run: echo b > b.txt",
                "approval.cancelled sessionEnded", "hook 2: no decision", "session.ended ",
            ])
    }

    @Test("a call beside it proves nothing of an open question")
    func sibling() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let calls = try ClaudeBench.recording("remote-allow-12s")
        let end = try #require(calls.first { $0.contains(#""PostToolUse""#) })
        try bench.call(
            end.replacingOccurrences(of: "toolu_fba2ae0c087c47358f018cdc", with: "toolu_other").replacingOccurrences(
                of: "out.txt", with: "other.txt"))
        #expect(bench.take() == ["tool.finished ok"])
        #expect(bench.adapter.approvals.count == 1)
    }

    @Test("two questions with the same input are told apart by their calls")
    func twins() throws {
        var bench = ClaudeBench()
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PreToolUse") })
        let twin = call.replacingOccurrences(of: "toolu_fba2ae0c087c47358f018cdc", with: "toolu_twin")
        try bench.call(call)
        try bench.call(twin)
        try bench.call(ClaudeBench.request(for: call))
        try bench.call(ClaudeBench.request(for: call))
        #expect(Set(bench.requests.map(\.head.call)) == ["toolu_fba2ae0c087c47358f018cdc", "toolu_twin"])
        #expect(Set(bench.requests.map(\.head.approval)).count == 2)
    }

    @Test("a subagent asks beside the main agent, whose turns do not end its questions")
    func subagent() throws {
        var bench = ClaudeBench()
        for call in try ClaudeBench.recording("subagent") {
            try bench.call(call)
            if call.contains("SubagentStart") {
                #expect(try bench.head(.subagentStarted).string("call") == bench.head(.toolStarted).string("call"))
            }
            if call.contains("PermissionRequest") {
                #expect(bench.requests.last?.head.agent == "a4af432a0c35f291f")
                try bench.decide(.allow)
            }
        }
        let lines = bench.take()
        #expect(
            lines == [
                "session.started proj", "session.renamed go", "message user: go", "status.changed running",
                "tool.started Delegating: do subtask", "subagent.started a4af432a0c35f291f", "tool.finished ok",
                "tool.started Running: echo sub > sub.txt", "approval.requested Run: echo sub > sub.txt",
                "approval.delivered", "hook 1: " + ClaudeBench.allow, "approval.applied ran", "tool.finished ok",
                "tool.started Using ToolSearch", "tool.finished ok", "subagent.finished a4af432a0c35f291f",
                "message assistant: Main done.", "status.changed idle", "session.ended ",
            ])
        #expect(!lines.contains { $0.contains("task-notification") }, "a machine's prompt is no person's message")
    }

    // MARK: Questions

    @Test("a question is answered from afar")
    func questionAnswered() throws {
        var bench = try ClaudeBench.askQuestion()
        #expect(bench.requests.last?.head.kind == .question)
        let questions = try bench.body(.approvalRequested).array("questions")
        #expect(try questions.map { try $0.string("text") } == ["Which color?"])
        #expect(try questions[0].array("choices").map { try $0.string("label") } == ["Red", "Blue"])
        try bench.decide(.answer([Answer(question: "q0", choices: ["Red"])]))
        let raw =
            #"[{"question": "Which color?", "header": "Color", "options": [{"label": "Red", "description": "r"}, "#
            + #"{"label": "Blue", "description": "b"}], "multiSelect": false}]"#
        #expect(
            bench.take() == [
                "approval.delivered",
                #"hook 1: {"behavior":"allow","updatedInput":{"questions":"# + raw + #","answers":{"Which color?":"Red"}}}"#,
            ])
        try bench.call(ClaudeBench.text("hook-PostToolUse.AskUserQuestion.json"))
        #expect(bench.take() == ["approval.applied answered", "tool.finished ok"])
    }

    @Test("another answer than ours was given at the terminal")
    func questionAnsweredOtherwise() throws {
        var bench = try ClaudeBench.askQuestion()
        try bench.decide(.answer([Answer(question: "q0", choices: ["Blue"])]))
        _ = bench.take()
        try bench.call(ClaudeBench.text("hook-PostToolUse.AskUserQuestion.json"))
        #expect(bench.take().first == "approval.stale answeredLocally")
    }

    @Test("a question answered at the terminal only")
    func questionAnsweredLocally() throws {
        var bench = try ClaudeBench.askQuestion()
        try bench.call(ClaudeBench.text("hook-PostToolUse.AskUserQuestion.json"))
        #expect(bench.take().prefix(2) == ["approval.cancelled answeredLocally", "hook 1: no decision"])
    }

    @Test("a person's own words go as they are, and a declined question is a denial")
    func questionInOwnWords() throws {
        var bench = try ClaudeBench.askQuestion()
        try bench.decide(.answer([Answer(question: "q0", choices: [], text: "Green, please")]))
        #expect(bench.take().last?.hasSuffix(#""answers":{"Which color?":"Green, please"}}}"#) == true)
        bench = try ClaudeBench.askQuestion()
        try bench.decide(.deny(message: "later"))
        #expect(bench.take().last == #"hook 1: {"behavior":"deny","message":"later"}"#)
    }

    @Test(
        "an answer that does not fit gets no decision",
        arguments: [
            Decision.Verdict.answer([]), .answer([Answer(question: "q1", choices: ["Red"])]),
            .answer([Answer(question: "q0", choices: ["Mauve"])]), .answer([Answer(question: "q0", choices: ["Red", "Blue"])]),
            .answer([Answer(question: "q0", choices: [])]), .allow,
        ])
    func badAnswer(_ verdict: Decision.Verdict) throws {
        var bench = try ClaudeBench.askQuestion()
        try bench.decide(verdict)
        #expect(bench.take() == ["approval.stale badAnswer", "hook 1: no decision"])
    }

    @Test(
        "a question in an unknown form is shown, and can be denied or answered at the terminal only",
        arguments: [
            (#""questions""#, #""items""#), (#""question""#, #""prompt""#), (#""question": "Which color?""#, #""question": 7"#),
        ])
    func unknownQuestion(_ known: String, _ other: String) throws {
        var bench = ClaudeBench()
        let call = try ClaudeBench.text("hook-PermissionRequest.AskUserQuestion.json")
        let changed = call.replacingOccurrences(of: known, with: other)
        try #require(changed != call)
        try bench.call(changed)
        #expect(bench.take() == ["session.started proj", "approval.requested Asking a question (cut)"])
        #expect(try #require(bench.requests.last).head.isCut)
        var denied = bench
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.stale notWhole", "hook 1: no decision"])
        try denied.decide(.deny(message: "no"))
        #expect(denied.take().first == "approval.delivered")
    }

    // MARK: What must never allow

    @Test("a decision for another input is not applied")
    func digestMismatch() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        try bench.decide(.allow, digest: bench.adapter.digests.input(tool: "Bash", Array("{}".utf8)))
        #expect(bench.take() == ["approval.stale digestMismatch", "hook 1: no decision"])
        try bench.decide(.allow)
        #expect(bench.take() == [], "and the right one comes too late")
    }

    @Test("an answer to a tool is no allow")
    func answerToTool() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        try bench.decide(.answer([Answer(question: "q0", choices: ["yes"])]))
        #expect(bench.take() == ["approval.stale badAnswer", "hook 1: no decision"])
    }

    @Test("the same decision twice has one effect, and another one none")
    func twice() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        try bench.decide(.allow)
        #expect(bench.take().count == 2)
        try bench.decide(.allow)
        try bench.decide(.deny(message: nil))
        #expect(bench.take() == [])
    }

    @Test("nobody decides in time: the local prompt stays, and the relay says that it expired")
    func expiry() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        bench.pass(.seconds(3_589))
        #expect(bench.take() == [])
        bench.pass(.seconds(1))
        #expect(bench.take() == ["hook 1: no decision"])
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.stale expired"], "a decision that was taken just before is told to be late")
        try bench.decide(.allow)
        #expect(bench.take() == [])
    }

    @Test("a decision that nobody here asked for is stale, and only in a session that is known")
    func unknownApproval() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let request = try #require(bench.requests.last)
        let decision = Decision(.allow, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
        bench.tell(.decided(request.session, ApprovalID("other")!, request.head.digest, decision))
        #expect(bench.take() == ["approval.stale unknownApproval"])
        bench.tell(.decided(SessionID("nobody")!, ApprovalID("other2")!, request.head.digest, decision))
        bench.tell(.decided(SessionID("nobody")!, request.head.approval, request.head.digest, decision))
        #expect(bench.take() == [])
    }

    @Test("in a mode that asks nobody, nobody is asked")
    func bypass() throws {
        var bench = ClaudeBench()
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try bench.call(
            call.replacingOccurrences(of: #""permission_mode": "default""#, with: #""permission_mode": "bypassPermissions""#))
        #expect(bench.take() == ["session.started proj", "hook 1: no decision"])
    }

    @Test("an input that does not fit an event is cut, and can be denied only")
    func cut() throws {
        var bench = ClaudeBench()
        let long = String(repeating: "x😀\\n", count: 30_000)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
            .replacingOccurrences(of: "echo hi > out.txt", with: long)
        try bench.call(call)
        #expect(bench.requests.last?.head.isCut == true)
        #expect(bench.events.allSatisfy { $0.event.bytes.count <= WireLimits.eventBytesMax })
        #expect(try bench.body(.approvalRequested).required("input").string("command").hasSuffix(TextCut.marker))
        _ = bench.take()
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.stale notWhole", "hook 1: no decision"])
        try bench.call(call)
        _ = bench.take()
        try bench.decide(.deny(message: "too long"))
        #expect(bench.take().last == #"hook 2: {"behavior":"deny","message":"too long"}"#)
    }

    @Test("a secret is not shown, and what runs is the real input")
    func redacted() throws {
        var bench = ClaudeBench()
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
            .replacingOccurrences(of: "echo hi", with: "GITHUB_TOKEN=\(secret) gh repo list")
        try bench.call(call)
        let request = try #require(bench.requests.last).head
        #expect(request.isRedacted && !request.isCut && !request.title.contains(secret))
        #expect(request.alert?.isWhole == false && request.alert?.full?.contains(secret) == false)
        #expect(
            try bench.body(.approvalRequested).required("input").string("command")
                == "GITHUB_TOKEN=⟨redacted⟩ gh repo list > out.txt")
        let input = #"{"command": "GITHUB_TOKEN=\#(secret) gh repo list > out.txt", "description": "Create out.txt"}"#
        #expect(bench.adapter.approvals.first?.inputDigest == bench.adapter.digests.input(tool: "Bash", Array(input.utf8)))
        _ = bench.take()
        try bench.decide(.allow)
        #expect(bench.take().last == "hook 1: " + ClaudeBench.allow)
    }

    @Test("what hides more than a value can be denied only, and an allow that comes all the same is not used")
    func hiding() throws {
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        for command in [
            "mysqladmin -u root --password drop production", "curl https://ghp_0123456789abcdefghijABCDEFGHIJ012345",
        ] {
            var bench = ClaudeBench()
            try bench.call(call.replacingOccurrences(of: "echo hi > out.txt", with: command))
            let request = try #require(bench.requests.last).head
            #expect(request.isRedacted && request.isCut && request.alert == nil)
            #expect(try bench.body(.approvalRequested).required("input").string("command").contains("⟨redacted⟩"))
            _ = bench.take()
            try bench.decide(.allow)
            #expect(bench.take() == ["approval.stale notWhole", "hook 1: no decision"])
            try bench.call(call.replacingOccurrences(of: "echo hi > out.txt", with: command))
            _ = bench.take()
            try bench.decide(.deny(message: "no"))
            #expect(bench.take().last == #"hook 2: {"behavior":"deny","message":"no"}"#)
        }
    }

    // MARK: Without a terminal

    @Test("a headless agent is denied in good time when the relay is away")
    func headlessWithoutRelay() throws {
        var bench = ClaudeBench()
        let call = try ClaudeBench.text("hook-PermissionRequest.headless.json")
        try bench.call(call, isAttended: false)
        #expect(bench.requests.last?.head.expiresAt == bench.now.wall + 3_580_000)
        _ = bench.take()
        bench.tell(.linkChanged(isLive: false))
        bench.pass(.seconds(9))
        #expect(bench.take() == [])
        bench.pass(.seconds(1))
        #expect(bench.take() == ["approval.cancelled relayUnreachable", "hook 1: no decision"])
        try bench.call(call, isAttended: false)
        #expect(bench.take() == ["hook 2: no decision"], "and not asked in vain again")
    }

    @Test("a person at the terminal is not hurried by a relay that is away")
    func attendedWithoutRelay() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        bench.tell(.linkChanged(isLive: false))
        bench.pass(.seconds(600))
        #expect(bench.take() == [])
    }

    // MARK: Bounds

    @Test("a cut input is not held")
    func cutIsNotHeld() throws {
        var bench = ClaudeBench()
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
            .replacingOccurrences(of: "echo hi", with: String(repeating: "x", count: 1 << 20))
        try bench.call(call)
        #expect(bench.adapter.approvals.allSatisfy { $0.isCut && $0.input.isEmpty })
    }

    @Test("a private key in a command can be denied only, and so can what only begins like one")
    func keyInCommand() throws {
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        let line = String(repeating: "MIIEvQIBADANBgkq", count: 4)
        let key = "-----BEGIN PRIVATE KEY-----\\n\(line)\\nAb3=\\n-----END PRIVATE KEY-----\\n"
        for command in [": -----BEGIN PRIVATE KEY-----\\n/tmp/X\(line)/run\\necho done", key] {
            var bench = ClaudeBench()
            try bench.call(call.replacingOccurrences(of: "echo hi > out.txt", with: command))
            #expect(bench.requests.last?.head.isCut == true)
            let shown = try bench.body(.approvalRequested).required("input").string("command")
            #expect(shown.contains("⟨redacted⟩") && !shown.contains(line))
            _ = bench.take()
            try bench.decide(.allow)
            #expect(bench.take() == ["approval.stale notWhole", "hook 1: no decision"])
        }
    }

    @Test("a diff that would be cut is not shown at all")
    func longDiff() throws {
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        let input = try #require(call.range(of: #""tool_input": \{[^}]*\}"#, options: .regularExpression))
        for (count, isShown) in [(100, true), (40_000, true), (120_000, false)] {
            var bench = ClaudeBench()
            let content = String(repeating: "a", count: count)
            let write = call.replacingCharacters(
                in: input, with: #""tool_input": {"file_path": "/tmp/f", "content": "\#(content)"}"#)
            try bench.call(write.replacingOccurrences(of: #""tool_name": "Bash""#, with: #""tool_name": "Write""#))
            #expect(bench.requests.last?.head.isCut == false)
            #expect((try bench.body(.approvalRequested).optional("diff") != nil) == isShown)
        }
    }

    @Test("what the disk does not take is asked of nobody, and not remembered")
    func notRecorded() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let id = try #require(bench.requests.last).head.approval
        bench.tell(.notRecorded(id))
        #expect(bench.take() == ["hook 1: no decision"])
        #expect(bench.adapter.approvals.isEmpty && bench.notes[id.rawValue] == nil)
    }

    @Test("a disk that is back has each session's status said again, but not of one that is over")
    func eventsLost() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let session = try #require(bench.requests.last).session
        bench.tell(.eventsLost([session, SessionID("other")!]))
        #expect(bench.take() == ["status.changed running"])
        bench.tell(.agentGone(bench.process))
        _ = bench.take()
        bench.tell(.eventsLost([session]))
        #expect(bench.take() == [])
    }

    @Test("a decision after the question was settled is handed to nobody")
    func decisionAfterCancel() throws {
        var (bench, rest) = try ClaudeBench.ask("remote-allow-12s")
        try bench.call(#require(rest.first { $0.contains("PostToolUse") }))
        #expect(bench.take() == ["approval.cancelled allowedLocally", "hook 1: no decision", "tool.finished ok"])
        try bench.decide(.allow)
        #expect(bench.take() == [], "the relay learns from the cancellation")
    }

    @Test("a decision for an earlier run of the agent is not handed to the next one, which asks the very same")
    func otherRun() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let first = try #require(bench.requests.last)
        bench.tell(.agentGone(bench.process))
        #expect(bench.take().prefix(2) == ["approval.cancelled agentGone", "hook 1: no decision"])
        bench.process = AgentProcess(id: 4712, startedAt: 100)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        try bench.call(call, run: "r2")
        let second = try #require(bench.requests.last)
        #expect(first.head.digest == second.head.digest && first.head.approval != second.head.approval)
        _ = bench.take()
        let decision = Decision(.allow, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
        bench.tell(.decided(first.session, first.head.approval, first.head.digest, decision))
        #expect(bench.take() == [] && bench.adapter.desk[second.head.approval]?.token != nil)
    }
}
