import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code without a terminal: steering")
struct ClaudeControlTests {
    @Test("it says what can be done to it when the agent has said what it offers, and nothing before")
    func start() {
        var bench = ControlBench(isReady: false)
        #expect(bench.take() == ["> initialize"])
        bench.prompt("hello", "k1")
        #expect(bench.take() == ["k1 refused: the agent is still starting"])
        bench = ControlBench()
        #expect(bench.offer?.actions == [.prompt, .interrupt, .stop, .mode, .model])
        #expect(bench.offer?.modes == ["default", "acceptEdits", "plan"] && bench.offer?.mode == "default")
        #expect(bench.offer?.models == ["default", "haiku"])
        #expect(bench.offer?.commands == ["/compact"], "a folder's own commands are not offered, nor what is not built in")
    }

    @Test("pictures stand before the text, in one line with it")
    func pictures() throws {
        #expect(ControlBench().offer?.takesPictures == true)
        let digest = try #require(PictureDigest(String(repeating: "ab", count: 32)))
        let picture = Picture(digest: digest, type: .webp, bytes: 2, content: "aGk=")
        let line = ControlLine.prompt("look", [picture], uuid: "u", session: "s")
        let expected =
            #""content":[{"type":"image","source":{"type":"base64","media_type":"image/webp","data":"aGk="}},{"type":"text","text":"look"}]"#
        #expect(String(decoding: line, as: UTF8.self).contains(expected))
    }

    @Test("a prompt whose pictures did not come with it is not given")
    func picturesLacking() throws {
        var bench = ControlBench()
        let digest = try #require(PictureDigest(String(repeating: "ab", count: 32)))
        bench.steer(.prompt(.init(text: "look", pictures: [Picture(digest: digest, type: .png, bytes: 2)])), "k1")
        #expect(bench.take() == ["k1 refused: its pictures did not come"])
    }

    private static let form =
        #"{"type":"object","properties":{"sure":{"type":"boolean"},"port":{"type":"integer"}},"required":["sure","port"]}"#

    @Test("what a tool's server asks is asked here and afar: it is filled in field by field")
    func elicitation() {
        var bench = ControlBench()
        bench.elicits("e1", Self.form)
        let asked = bench.take()
        #expect(asked.contains { $0.hasPrefix("ask e1 ") && $0.contains(#""requested_schema":\#(Self.form)"#) })
        #expect(asked.contains("| Ship? · sure") && asked.contains("|   3  Decline"))
        bench.tell(.typed("1 perhaps"))
        #expect(bench.take() == ["| Only numbers of choices go with a choice; nothing was sent."])
        bench.tell(.typed("1"))
        #expect(bench.take().contains("| port (a whole number)"))
        bench.tell(.typed("4 eighty"))
        #expect(bench.take() == ["| That does not fit; nothing was sent."])
        bench.tell(.typed("4 80"))
        #expect(bench.take() == [#"> accept e1 {"sure":true,"port":80}"#, "ask no more e1", "busy"])
        bench.tell(.answeredAfar(request: "e1", Array(#"{"hookSpecificOutput":{"action":"decline"}}"#.utf8)))
        #expect(bench.take() == [])
    }

    @Test("it is answered afar, or declined here")
    func elicitationAfar() {
        var bench = ControlBench()
        bench.elicits("e1", Self.form)
        _ = bench.take()
        let output =
            #"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"sure":true,"port":1}}}"#
        bench.tell(.answeredAfar(request: "e1", Array(output.utf8)))
        #expect(bench.take() == ["| (answered by a client: accept)", #"> accept e1 {"sure":true,"port":1}"#, "busy"])
        bench.elicits("e2", Self.form)
        _ = bench.take()
        bench.tell(.typed("6"))
        #expect(bench.take() == ["> decline e2", "ask no more e2", "busy"])
    }

    @Test("where nobody sits it is cancelled when nobody decides in time, and with its turn it is asked no more")
    func elicitationUndecided() {
        var bench = ControlBench(hasTerminal: false)
        bench.elicits("e1", Self.form)
        _ = bench.take()
        bench.pass(.seconds(3_600))
        #expect(bench.take() == ["| Denied: nobody decided in time.", "> cancel e1", "ask no more e1", "busy"])
        bench.elicits("e2", Self.form)
        _ = bench.take()
        bench.result()
        #expect(bench.take().contains("ask no more e2"))
    }

    @Test("what a tool's server asks in a form that is not known is cancelled at once, and said")
    func elicitationUnknown() {
        var bench = ControlBench()
        bench.write(
            #"{"type":"control_request","request_id":"e1","request":{"subtype":"elicitation","mcp_server_name":"deploy","message":"Which?"}}"#
        )
        let lines = bench.take()
        #expect(lines.contains { $0.contains("deploy asked for something") && $0.contains("cancelled") })
        #expect(lines.contains("> cancel e1"))
    }

    @Test("a session that is opened elsewhere ends here: its turn is interrupted first, and nothing more is taken")
    func openedElsewhere() {
        var bench = ControlBench()
        bench.prompt("work", "k1")
        bench.repeats()
        _ = bench.take()
        bench.tell(.openedElsewhere(process: 77))
        let lines = bench.take()
        #expect(lines.contains { $0.contains("process 77 has opened this session") })
        #expect(lines.contains { $0.hasPrefix("> interrupt") })
        bench.prompt("more", "k2")
        #expect(bench.take().contains("k2 refused: the session is ending"))
        bench.tell(.openedElsewhere(process: 77))
        #expect(bench.take() == [])
    }

    @Test("an agent that has not said in which mode it is takes no prompt from afar until it has")
    func modeUnknown() {
        var bench = ControlBench(isReady: false)
        bench.write(
            #"{"type":"control_response","response":{"subtype":"success","request_id":"heliograph-1","response":{"commands":[]}}}"#
        )
        #expect(bench.offer?.actions == [.interrupt, .stop] && bench.offer?.reason?.contains("first turn") == true)
        bench.write(#"{"type":"system","subtype":"init","permissionMode":"default"}"#)
        #expect(bench.offer?.actions.contains(.prompt) == true)
    }

    @Test("a prompt is taken when the agent repeats it under our name of it, and the turn goes on until its result")
    func prompt() {
        var bench = ControlBench()
        bench.prompt("go on", "k1")
        #expect(bench.take() == ["| Ada: go on", "> go on", "k1 given", "busy"])
        bench.repeats("00000000-0000-4000-8000-000000000000")
        #expect(bench.take() == [], "what it repeats of others is no evidence")
        bench.repeats()
        bench.repeats()
        #expect(bench.take() == ["k1 taken"])
        bench.result()
        #expect(bench.take() == ["idle"])
    }

    @Test(
        "it shows a prompt only with the first of its answer: a turn that it began for it, and that goes on, is evidence as well"
    )
    func longThought() {
        var bench = ControlBench()
        bench.prompt("think", "k1")
        bench.lifecycle("started")
        bench.pass(.seconds(20))
        _ = bench.take()
        bench.write(#"{"type":"system","subtype":"init"}"#)
        bench.pass(.milliseconds(1_999))
        #expect(bench.take() == [])
        bench.pass(.milliseconds(1))
        #expect(bench.take() == ["k1 taken"])
        bench.repeats()
        bench.result()
        #expect(bench.take() == ["idle"])
    }

    @Test("a prompt that a hook turns down was begun, and is not taken")
    func turnedDown() {
        var bench = ControlBench()
        bench.prompt("think", "k1")
        bench.lifecycle("started")
        bench.write(#"{"type":"system","subtype":"init"}"#)
        bench.result()
        bench.pass(.seconds(5))
        bench.lifecycle("completed")
        #expect(!bench.take().contains("k1 taken"))
        bench.prompt("think", "k2")
        bench.lifecycle("started")
        bench.write(
            #"{"type":"system","subtype":"informational","prompt_submit_outcome":{"kind":"blocked_by_hook","prompt_kept":false}}"#
        )
        bench.result()
        bench.lifecycle("completed")
        #expect(bench.take().last { $0.hasPrefix("k2") } == "k2 refused: a hook refused it before the model saw it")
    }

    @Test("the same command has the same name for the agent, which runs it once; others have others")
    func names() {
        var bench = ControlBench()
        bench.prompt("a", "k1")
        bench.repeats()
        bench.result()
        bench.prompt("a", "k1")
        bench.repeats()
        bench.result()
        bench.prompt("a", "k2")
        #expect(bench.uuids[0] == bench.uuids[1] && bench.uuids[1] != bench.uuids[2])
    }

    @Test("a prompt that comes while something runs or is asked is not given")
    func busy() {
        var bench = ControlBench()
        bench.tell(.typed("typed here"))
        #expect(bench.take() == ["> typed here", "busy"])
        bench.prompt("go on", "k1")
        #expect(bench.take() == ["k1 refused: the agent has begun something else just now"])
        bench.repeats()
        bench.asks()
        bench.prompt("go on", "k2")
        #expect(bench.take().last == "k2 refused: the agent has begun something else just now")
    }

    @Test("text is literal: a slash makes no command of it unless it is chosen as one that is offered")
    func literal() {
        var bench = ControlBench()
        bench.prompt("/help me", "k1")
        #expect(bench.take()[1] == "> \u{20}/help me")
        bench.repeats()
        bench.result()
        _ = bench.take()
        bench.prompt("!ls # and @file", "k2")
        #expect(bench.take()[1] == "> !ls # and @file", "those mean nothing to it over this way")
        #expect(ClaudeControl.literal("/\u{301}help") == " /\u{301}help", "a slash with a mark on it is one, too")
        bench.repeats()
        bench.result()
        _ = bench.take()
        bench.prompt("/compact now", "k3", isCommand: true)
        #expect(bench.take()[1] == "> /compact now")
        bench.lifecycle("started")
        #expect(bench.take() == ["k3 taken"])
        bench.lifecycle("completed")
        #expect(bench.take() == ["idle"])
        bench.prompt("/deploy", "k4", isCommand: true)
        #expect(bench.take() == ["k4 refused: the agent offers no such command"])
    }

    @Test("an agent that is done with a prompt and never showed that it took it: nobody knows")
    func unknown() {
        var bench = ControlBench()
        bench.prompt("go on", "k1")
        bench.result()
        #expect(bench.take().contains("k1 unknown: the turn is over, and it has not shown that it took it"))
        bench.prompt("go on", "k2")
        bench.lifecycle("cancelled")
        #expect(bench.take().contains("k2 unknown: the agent let it go"))
        bench.prompt("go on", "k3")
        bench.result()
        #expect(
            !bench.take().contains { $0.hasPrefix("k3 unknown") }, "that was another turn's end, for it tells when it is done")
        bench.lifecycle("completed")
        #expect(bench.take().first == "k3 unknown: the agent is done with it and has not shown that it took it")
    }

    @Test("an interrupt is taken with the end of the turn, not with the agent's word")
    func interrupt() {
        var bench = ControlBench()
        bench.steer(.interrupt, "k0")
        #expect(bench.take() == ["k0 refused: nothing runs that could be interrupted"])
        bench.prompt("go on", "k1")
        bench.repeats()
        _ = bench.take()
        bench.steer(.interrupt, "k2")
        #expect(bench.take() == ["> interrupt"])
        bench.responds(2)
        #expect(bench.take() == [])
        bench.write(
            #"{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming"}"#)
        #expect(bench.take() == ["k2 taken", "| (the turn ended: aborted streaming)", "idle"])
    }

    @Test("each turn's end says what was spent by then")
    func spent() {
        var bench = ControlBench()
        bench.prompt("go on", "k1")
        bench.repeats()
        _ = bench.take()
        bench.write(#"{"type":"result","subtype":"success","total_cost_usd":0.0180}"#)
        #expect(bench.take().first?.hasPrefix("spent {\"session_id\":") == true)
        bench.prompt("go on", "k2")
        bench.repeats()
        bench.write(#"{"type":"result","subtype":"success"}"#)
        #expect(!bench.take().contains { $0.hasPrefix("spent") })
    }

    @Test("Ctrl-C interrupts here as well, and ends nothing")
    func interruptedHere() {
        var bench = ControlBench()
        bench.tell(.interrupted)
        #expect(bench.take() == ["| (Ctrl-D ends the session)"])
        bench.tell(.typed("go"))
        _ = bench.take()
        bench.tell(.interrupted)
        #expect(bench.take() == ["> interrupt"])
    }

    @Test("modes are those that ask a person, models those that the agent names; each counts by the agent's answer")
    func settings() {
        var bench = ControlBench()
        for mode in ["bypassPermissions", "auto", "dontAsk", "bogus"] {
            bench.steer(.mode(mode), "k-\(mode)")
            #expect(bench.take() == ["k-\(mode) refused: that mode is not offered"])
        }
        bench.steer(.mode("acceptEdits"), "k1")
        #expect(bench.take() == ["> set_permission_mode acceptEdits"])
        bench.responds(2, #""subtype":"success","response":{"mode":"acceptEdits"}"#)
        #expect(bench.take() == ["| (mode: acceptEdits)", "k1 taken", "offers interrupt mode model prompt stop", "idle"])
        #expect(bench.offer?.mode == "acceptEdits")
        bench.steer(.mode("plan"), "k2")
        bench.responds(3, #""subtype":"error","error":"not now""#)
        #expect(bench.take() == ["> set_permission_mode plan", "k2 refused: the agent refuses: not now"])
        bench.steer(.mode("plan"), "k3")
        bench.responds(4, #""subtype":"success","response":{"mode":"default"}"#)
        #expect(bench.take().last == "k3 refused: the agent refuses: it is in another mode")
        bench.steer(.model("no-such"), "k4")
        #expect(bench.take() == ["k4 refused: that model is not offered"])
        bench.steer(.model("haiku"), "k5")
        bench.responds(5)
        #expect(bench.take() == ["> set_model haiku", "| (model: haiku)", "k5 taken"])
    }

    @Test("a session that asks nobody takes nothing from afar but its end", arguments: [true, false])
    func lawless(_ isSoAtFirst: Bool) {
        var bench = ControlBench(mode: isSoAtFirst ? "bypassPermissions" : "default")
        if !isSoAtFirst { bench.write(#"{"type":"system","subtype":"status","permissionMode":"bypassPermissions"}"#) }
        #expect(bench.offer?.actions == [.interrupt, .stop] && bench.offer?.reason != nil)
        _ = bench.take()
        bench.prompt("rm", "k1")
        bench.steer(.mode("default"), "k2")
        #expect(
            bench.take() == ["k1 refused: this session does not take prompt", "k2 refused: this session does not take mode"])
    }

    // MARK: The end

    @Test("to stop it: the turn is interrupted, its input is closed, and its end is the evidence")
    func stop() {
        var bench = ControlBench()
        bench.tell(.typed("go"))
        bench.repeats()
        _ = bench.take()
        bench.steer(.stop, "k1")
        #expect(bench.take() == ["k1 given", "> interrupt", "offers ", "busy"])
        bench.prompt("more", "k2")
        #expect(bench.take() == ["k2 refused: the session is ending"])
        bench.result()
        #expect(bench.take() == ["close", "idle"])
        bench.tell(.ended(exit: 0))
        #expect(bench.take() == ["k1 taken: the agent has ended"])
    }

    @Test("an agent that does not end is ended")
    func kill() {
        var bench = ControlBench()
        bench.tell(.typed("go"))
        bench.repeats()
        bench.tell(.inputClosed)
        _ = bench.take()
        bench.pass(.seconds(5))
        bench.pass(.seconds(10))
        bench.pass(.seconds(5))
        #expect(bench.take() == ["close", "terminate", "kill"])
    }

    @Test("what was under way when the agent ended: nobody knows")
    func ended() {
        var bench = ControlBench()
        bench.prompt("go on", "k1")
        bench.tell(.ended(exit: 137))
        #expect(bench.take().contains("k1 unknown: the agent has ended"))
        bench = ControlBench()
        bench.steer(.mode("plan"), "k1")
        bench.tell(.ended(exit: 137))
        #expect(bench.take().contains("k1 unknown: the agent has ended"))
    }

    @Test("lines come in pieces, and one that is too long is left out")
    func lines() {
        var bench = ControlBench()
        bench.prompt("go on", "k1")
        _ = bench.take()
        let line = Array(#"{"type":"user","isReplay":true,"uuid":"\#(bench.uuids[0])"}"#.utf8)
        bench.tell(.received(Array(line[..<20])))
        #expect(bench.take() == [])
        bench.tell(.received(line[20...] + Array("\n".utf8)))
        #expect(bench.take() == ["k1 taken"])
        bench.tell(.received(Array(repeating: UInt8(ascii: "x"), count: 16 << 20) + Array("xx".utf8)))
        #expect(bench.take() == ["| (a line of the agent was too long and is left out)"])
        bench.tell(.received(Array("y\n".utf8)))
        bench.result()
        #expect(bench.take().last == "idle")
    }
}

@Suite("Claude Code without a terminal: permissions")
struct ClaudeControlPermissionTests {
    @Test("asked at the terminal: a number allows once, with exactly the input that was asked for")
    func allow() {
        var bench = ControlBench()
        bench.asks("p1", "Bash", #"{"command": "ls  -l"}"#)
        #expect(
            bench.take() == [
                #"| Bash asks for permission: / {"command": "ls  -l"}"#, "|   1  Allow once",
                "|   2  Deny; words after the number tell the agent why", "waiting",
            ])
        bench.tell(.typed("1"))
        #expect(bench.take() == [#"> allow p1 {"command": "ls  -l"}"#, "busy"])
    }

    @Test("denied, with the person's words where there are some")
    func deny() {
        var bench = ControlBench()
        bench.asks()
        _ = bench.take()
        bench.tell(.typed("2 use a file"))
        #expect(bench.take().first?.hasSuffix("The user said: use a file") == true)
        bench.asks("p2")
        _ = bench.take()
        bench.tell(.typed("4"))
        #expect(bench.take().first?.hasPrefix("> deny p2 The user doesn't want") == true)
    }

    @Test("what is typed for a question that was answered from afar meanwhile answers no other")
    func numbers() {
        var bench = ControlBench()
        bench.asks("p1")
        bench.write(#"{"type":"control_cancel_request","request_id":"p1"}"#)
        bench.asks("p2", "Write", #"{"file_path":"x"}"#)
        _ = bench.take()
        for line in ["1", "2", "yes", "y", "", "5", "0", "-1", "3 because", "\(Int.min)", "\(Int.max)"] {
            bench.tell(.typed(line))
            #expect(!bench.take().contains { $0.hasPrefix(">") }, "\(line)")
        }
        bench.tell(.typed("3"))
        #expect(bench.take().first == #"> allow p2 {"file_path":"x"}"#)
    }

    @Test("without a terminal nobody's silence is a yes: it is denied in the end")
    func silence() {
        var bench = ControlBench(hasTerminal: false)
        bench.asks()
        #expect(bench.take().contains("| (waiting for a client's decision)"))
        bench.tell(.typed("1"))
        #expect(!bench.take().contains { $0.contains("allow") })
        bench.pass(.seconds(3_600))
        #expect(bench.take() == ["| Denied: nobody decided in time.", "> deny p1 \(ControlPermission.undecided)", "busy"])
    }

    @Test("questions are answered by their numbers, or in words")
    func questions() {
        var bench = ControlBench()
        let input =
            #"{"questions":[{"question":"Which?","header":"C","multiSelect":false,"options":[{"label":"Red","description":"a"},{"label":"Blue","description":"b"}]}]}"#
        bench.asks("p1", "AskUserQuestion", input)
        #expect(bench.take().contains("|   2  Blue"))
        bench.tell(.typed("2"))
        let answered = bench.take().first
        #expect(answered?.contains(#""answers":{"Which?":"Blue"}"#) == true)
        bench.asks("p2", "AskUserQuestion", input)
        bench.tell(.typed("4 rather green"))
        #expect(bench.take().contains { $0.contains(#""answers":{"Which?":"rather green"}"#) })
    }

    @Test("what cannot be read exactly, or is no permission, is never allowed")
    func unreadable() {
        var bench = ControlBench()
        bench.asks("p1", "AskUserQuestion", #"{"queries":[]}"#)
        _ = bench.take()
        bench.tell(.typed("1"))
        #expect(!bench.take().contains { $0.hasPrefix("> allow") })
        bench.asks("p2", "Bash", #"{"command":"ls","command":"rm"}"#)
        #expect(bench.take().contains("> deny p2 \(ControlPermission.unreadable)"))
        bench.write(#"{"type":"control_request","request_id":"p3","request":{"subtype":"hook_callback"}}"#)
        #expect(bench.take() == ["> error p3 heliograph answers no such request"])
    }

    @Test("no more are open at a time than a person can look at")
    func bounded() {
        var bench = ControlBench()
        for number in 1...64 { bench.asks("p\(number)") }
        _ = bench.take()
        bench.asks("p65")
        #expect(bench.take().contains { $0.hasPrefix("> deny p65") })
    }

    @Test("the end of the turn closes what is open")
    func turnOver() {
        var bench = ControlBench()
        bench.asks()
        bench.result()
        #expect(bench.take().last == "idle")
        bench.tell(.typed("1"))
        #expect(bench.take() == ["> 1", "busy"], "a prompt by then")
    }
}

@Suite("Claude Code without a terminal: its arguments")
struct ControlArgumentsTests {
    @Test("the person's own are kept, and ours are added")
    func command() throws {
        let arguments = try ControlArguments(["--model", "opus", "--permission-mode=plan"], fresh: ControlBench.session)
        let command = arguments.command("claude", settings: nil)
        #expect(command.first == "claude" && command.suffix(3) == ["--model", "opus", "--permission-mode=plan"])
        #expect(command.contains("--session-id") && command.contains(ControlBench.session) && !arguments.isResumed)
        let resumed = try ControlArguments(["--resume", ControlBench.session.uppercased()], fresh: "f")
        #expect(resumed.isResumed && resumed.session == ControlBench.session)
        #expect(!resumed.command("claude", settings: nil).contains("--session-id"))
    }

    @Test(
        "what would make it another session, or speak to it otherwise, is refused",
        arguments: [
            ["-p"], ["--output-format=json"], ["--session-id", "x"], ["--fork-session"], ["--continue"], ["-c"], ["--resume"],
            ["--resume", "name"], ["--permission-prompt-tool", "x"], ["--bg"], ["-pc"], ["-r8c1f"],
        ])
    func refused(_ arguments: [String]) {
        #expect(throws: ControlError.self) { try ControlArguments(arguments, fresh: "f") }
    }
}
