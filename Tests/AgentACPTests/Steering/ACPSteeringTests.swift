import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

@Suite("ACP: prompts from afar")
struct ACPSteeringTests {
    private func open(_ modes: String = "") -> ACPBench {
        var bench = ACPBench()
        bench.open(modes)
        return bench
    }

    @Test("a session that rests is offered, and how it stands is told when it changes")
    func offered() {
        var bench = open()
        #expect(bench.stands.count == 1 && bench.standing == .idle)
        #expect(bench.stands.last?.stand?.offer == SteeringOffer(actions: [.prompt, .interrupt], hold: .unchanged))
        bench.editor(ACPBench.prompt("3", "hi"))
        #expect(bench.standing == .busy)
        bench.permission()
        #expect(bench.standing == .waiting)
        bench.editor(ACPBench.selected("allow_once"))
        #expect(bench.standing == .busy)
        bench.ends("3")
        #expect(bench.standing == .idle && bench.stands.count == 5)
        bench.take(.editorClosed)
        #expect(bench.stands.count == 6 && bench.stands.last?.stand == nil)
    }

    @Test("a session without an editor is ended from afar, which counts when its agent has gone")
    func stopped() {
        var bench = open()
        bench.steer("s0", .stop)
        #expect(bench.stages("s0") == [.refused] && bench.leaves == 0, "an editor's session is the editor's to end")
        bench = ACPBench(isAlone: true)
        bench.open()
        #expect(bench.stands.last?.stand?.offer.actions == [.prompt, .interrupt, .stop])
        bench.editor(ACPBench.prompt("3", "hi"))
        bench.permission()
        bench.steer("s1", .stop)
        #expect(bench.stages("s1") == [.given] && bench.leaves == 1 && bench.withdrawn.count == bench.asked.count)
        // Its remaining output is still read.
        #expect(bench.stands.last?.stand?.offer.actions == [] && bench.stands.last?.stand?.offer.reason != nil)
        bench.steer("s2", .stop)
        bench.prompt("p1", "more")
        #expect(bench.stages("s2") == [.refused] && bench.stages("p1") == [.refused] && bench.leaves == 1)
        bench.take(.agentClosed)
        bench.take(.agentGone(reason: "ended from afar", failed: false))
        #expect(bench.stages("s1") == [.given, .taken] && bench.told.last == "ended ended from afar false")
        #expect(bench.stands.last?.stand == nil)
    }

    private static let picture = Picture(
        digest: PictureDigest(String(repeating: "ab", count: 32))!, type: .png, bytes: 2, content: "aGk=")

    @Test("pictures go to an agent that says that it takes them, before the text, and to no other")
    func pictures() {
        let look = SteeringAction.prompt(.init(text: "look", pictures: [Self.picture]))
        var bench = open()
        bench.steer("p1", look)
        #expect(bench.stages("p1") == [.refused] && bench.takeAgentLines() == [])
        bench = ACPBench()
        bench.editor(#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#)
        bench.agent(#"{"jsonrpc":"2.0","id":1,"result":{"agentCapabilities":{"promptCapabilities":{"image":true}}}}"#)
        bench.open()
        #expect(bench.stands.last?.stand?.offer.takesPictures == true)
        bench.steer("p1", look)
        let blocks =
            #""prompt":[{"type":"image","mimeType":"image/png","data":"aGk="},{"type":"text","text":"look"}]"#
        #expect(bench.takeAgentLines().first?.contains(blocks) == true)
        #expect(bench.stages("p1") == [.given])
    }

    @Test(
        "a prompt goes to the agent under a name of ours, is taken when the agent shows it, and the editor sees no answer of it"
    )
    func taken() {
        var bench = open()
        bench.prompt("p1", "from afar")
        #expect(bench.takeAgentLines() == [ACPBench.prompt(ACPBench.own(1), "from afar")])
        #expect(bench.stages("p1") == [.given] && bench.standing == .busy && bench.takeEditorLines() == [])
        bench.echoes("from afar")
        #expect(bench.stages("p1") == [.given, .taken])
        bench.says("Done.")
        bench.ends(ACPBench.own(1))
        let seen = bench.takeEditorLines()
        #expect(seen.count == 2 && seen.contains { $0.contains("user_message_chunk") })
        #expect(bench.told.suffix(4) == ["user from afar", "status running", "assistant Done.", "status idle"])
        #expect(bench.stages("p1") == [.given, .taken] && bench.standing == .idle)
        #expect(bench.turnsFromAfar == ["began from afar", "ended"])
    }

    @Test("of an agent that does not show prompts, its work is the evidence, and the editor is shown the prompt before it")
    func silentAgent() {
        var bench = open()
        bench.prompt("p1", "from afar")
        bench.update(#"{"sessionUpdate":"usage_update","used":1,"size":2}"#)
        #expect(bench.stages("p1") == [.given])
        bench.takeAllOfEditor()
        bench.says("Done.")
        #expect(bench.stages("p1") == [.given, .taken])
        let seen = bench.takeEditorLines()
        #expect(seen.count == 2 && seen[0].contains("user_message_chunk") && seen[0].contains("from afar"))
        bench.ends(ACPBench.own(1))
        #expect(bench.told.filter { $0 == "user from afar" }.count == 1)
    }

    @Test("of an agent that shows prompts nothing less is evidence, nor are the late words of a turn that was cut short")
    func lateWords() {
        var bench = open()
        bench.editor(ACPBench.prompt("3", "hi"))
        bench.echoes("hi")
        bench.ends("3")
        bench.prompt("p1", "from afar")
        bench.says("late")
        bench.echoes("hi")
        #expect(bench.stages("p1") == [.given])
        bench.agent(
            #"{"jsonrpc":"2.0","id":\#(ACPBench.own(1)),"error":{"code":-32603,"message":"A turn is already running"}}"#)
        #expect(bench.stages("p1") == [.given, .refused] && bench.reason("p1").contains("A turn is already running"))
        #expect(!bench.told.contains("user from afar"))
        // The same for a turn that the agent began by itself.
        var alone = open()
        alone.says("by itself")
        alone.prompt("p1", "from afar")
        alone.says("by itself")
        #expect(alone.stages("p1") == [.given])
        var silent = open()
        silent.editor(ACPBench.prompt("3", "hi"))
        silent.ends("3", "cancelled")
        silent.prompt("p1", "from afar")
        silent.says("late")
        #expect(silent.stages("p1") == [.given])
        silent.ends(ACPBench.own(1))
        #expect(silent.stages("p1") == [.given, .taken])
    }

    @Test(
        "after a turn that was cut short, what the agent does some seconds later is of the next prompt, and so is any question")
    func afterACutTurn() {
        func cut() -> ACPBench {
            var bench = open()
            bench.editor(ACPBench.prompt("3", "hi"))
            bench.ends("3", "cancelled")
            bench.says("late, outside of any turn")
            bench.prompt("p1", "from afar")
            bench.says("late")
            return bench
        }
        var later = cut()
        later.now.monotonic += ACPLimits().lateWordsWithin.milliseconds
        later.says("of this turn")
        #expect(later.stages("p1") == [.given, .taken])
        var asking = cut()
        asking.start(call: "c1", input: #"{"command":"ls"}"#, title: "ls")
        #expect(asking.stages("p1") == [.given])
        asking.permission(call: #"{"toolCallId":"c1"}"#)
        #expect(asking.stages("p1") == [.given, .taken])
    }

    @Test("a turn of which nobody knows whether it was ours ends with the session idle all the same")
    func unknownTurn() {
        var bench = open()
        bench.editor(ACPBench.prompt("3", "hi"))
        bench.ends("3", "cancelled")
        bench.prompt("p1", "from afar")
        bench.update(
            #"{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run ls","kind":"execute","status":"in_progress"}"#)
        bench.ends(ACPBench.own(1), "cancelled")
        #expect(bench.stages("p1") == [.given, .unknown])
        guard case .statusChanged(.idle, _)? = bench.events.last?.event.head else {
            Issue.record("the last of \(bench.events.map(\.event.head)) says that it is idle")
            return
        }
    }

    @Test(
        "an answer alone is evidence, by what it says",
        arguments: [
            ("end_turn", SteeringStage.taken), ("max_tokens", .taken), ("refusal", .refused), ("cancelled", .unknown),
        ])
    func answers(_ reason: String, _ stage: SteeringStage) {
        var bench = open()
        bench.prompt("p1", "from afar")
        bench.ends(ACPBench.own(1), reason)
        #expect(bench.stages("p1") == [.given, stage] && bench.standing == .idle)
        #expect(bench.takeEditorLines().allSatisfy { !$0.contains("stopReason") })
    }

    @Test("while a turn runs, or a question is open, nothing is given; the same command again is nothing at all")
    func busy() {
        var bench = open()
        bench.editor(ACPBench.prompt("3", "hi"))
        bench.prompt("p1", "one")
        bench.permission()
        bench.prompt("p2", "two")
        #expect(bench.stages("p1") == [.refused] && bench.stages("p2") == [.refused])
        bench.editor(ACPBench.selected("allow_once"))
        bench.ends("3")
        bench.prompt("p2", "two")
        bench.prompt("p3", "three")
        bench.prompt("p3", "three")
        bench.prompt("p4", "four")
        #expect(bench.stages("p2") == [.refused] && bench.stages("p3") == [.given] && bench.stages("p4") == [.refused])
        #expect(bench.takeAgentLines().filter { $0.contains("heliograph-run1") } == [ACPBench.prompt(ACPBench.own(1), "three")])
    }

    @Test("a question outside a turn keeps prompts away, too, of whatever kind it is")
    func questionAlone() {
        var bench = open()
        bench.agent(#"{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"sessionId":"\#(ACPBench.session)"}}"#)
        #expect(bench.standing == .waiting)
        bench.prompt("p1", "one")
        #expect(bench.stages("p1") == [.refused] && bench.takeAgentLines() == [])
        bench.editor(#"{"jsonrpc":"2.0","id":9,"result":{"action":"cancel"}}"#)
        #expect(bench.standing == .idle)
        bench.agent(#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"\#(ACPBench.session)"}}"#)
        #expect(bench.standing == .idle)
    }

    @Test("the editor's prompt waits for the end of ours, and then arrives as it was written")
    func held() {
        var bench = open()
        bench.prompt("p1", "from afar")
        _ = bench.takeAgentLines()
        let line =
            #"{"params" : {"prompt":[{"text":"hi","type":"text"}], "sessionId":"\#(ACPBench.session)"},"id":7, "method":"session/prompt","jsonrpc":"2.0"}"#
        bench.editor(line)
        bench.editor(#"{"jsonrpc":"2.0","id":8,"method":"x/y","params":{}}"#)
        #expect(bench.takeAgentLines().count == 1)
        #expect(!bench.told.contains("user hi"))
        bench.echoes("from afar")
        bench.ends(ACPBench.own(1))
        #expect(bench.takeAgentLines() == [line] && bench.standing == .busy)
        #expect(bench.told.last == "status running" && bench.told.contains("user hi"))
        bench.ends("7")
        #expect(bench.standing == .idle)
    }

    @Test("an editor that cancels gets its waiting prompt back as cancelled, and the agent never sees that")
    func heldCancelled() {
        var bench = open()
        bench.prompt("p1", "from afar")
        bench.editor(ACPBench.prompt("7", "hi"))
        bench.editor(ACPBench.prompt("8", "ho"))
        _ = bench.takeAgentLines()
        bench.editor(#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":8}}"#)
        #expect(bench.takeAgentLines() == [] && bench.takeEditorLines() == [ACPBench.cancelled("8")])
        bench.editor(ACPBench.cancel)
        #expect(bench.takeAgentLines() == [ACPBench.cancel] && bench.takeEditorLines() == [ACPBench.cancelled("7")])
        bench.ends(ACPBench.own(1), "cancelled")
        #expect(bench.takeAgentLines() == [] && bench.standing == .idle && bench.stages("p1") == [.given, .unknown])
    }

    @Test("what waits is bounded: beyond that the editor's prompts go through, for the agent to refuse")
    func heldBounds() {
        var limits = ACPLimits()
        limits.queuedPromptsMax = 1
        var bench = ACPBench(limits: limits)
        bench.open()
        bench.prompt("p1", "from afar")
        _ = bench.takeAgentLines()
        bench.editor(ACPBench.prompt("7", "hi"))
        bench.editor(ACPBench.prompt("8", "ho"))
        #expect(bench.takeAgentLines() == [ACPBench.prompt("8", "ho")])
        limits.queuedPromptsMax = 9
        limits.queuedBytesMax = 100
        var small = ACPBench(limits: limits)
        small.open()
        small.prompt("p1", "from afar")
        small.editor(ACPBench.prompt("7", "hi"))
        #expect(small.takeAgentLines().count == 2)
    }

    @Test("an agent that never answers ours does not cost the editor the session")
    func lost() {
        var bench = open()
        bench.prompt("p1", "from afar")
        bench.editor(ACPBench.prompt("7", "hi"))
        #expect(bench.takeAgentLines().count == 1)
        bench.now.monotonic += 31_000
        bench.update(#"{"sessionUpdate":"usage_update","used":1,"size":2}"#)
        #expect(bench.takeAgentLines() == [ACPBench.prompt("7", "hi")])
        bench.ends("7")
        #expect(bench.stages("p1") == [.given, .unknown] && bench.standing == .idle)
        bench.prompt("p2", "again")
        bench.echoes("again")
        bench.editor(ACPBench.cancel)
        bench.now.monotonic += 31_000
        _ = bench.takeAgentLines()
        bench.editor(ACPBench.prompt("8", "ho"))
        #expect(bench.takeAgentLines() == [ACPBench.prompt("8", "ho")])
        // Our prompt is running after all, as the agent reports; the turn is ours until it ends.
        bench.agent(#"{"jsonrpc":"2.0","id":8,"error":{"code":-32603,"message":"A turn is already running"}}"#)
        #expect(bench.standing == .busy)
        bench.ends(ACPBench.own(2), "cancelled")
        #expect(bench.standing == .idle && !bench.takeEditorLines().contains { $0.contains("heliograph-run1") })
    }

    @Test("an editor that leaves has its waiting prompts given to the agent, before the end")
    func editorLeaves() {
        var bench = open()
        bench.prompt("p1", "from afar")
        _ = bench.takeAgentLines()
        bench.editor(ACPBench.prompt("7", "hi"))
        bench.take(.editorClosed)
        #expect(bench.takeAgentLines() == [ACPBench.prompt("7", "hi")])
        bench.prompt("p2", "too late")
        #expect(bench.stages("p2") == [.refused] && bench.takeAgentLines() == [])
        bench.take(.agentGone(reason: nil, failed: false))
        #expect(bench.stages("p1") == [.given, .unknown])
    }

    @Test("after something of the editor's that could not be read nothing is given, until a turn of that session has ended")
    func unread() {
        var limits = ACPLimits()
        limits.lineBytes = 300
        var bench = ACPBench(limits: limits)
        bench.open()
        bench.editor(ACPBench.prompt("3", String(repeating: "x", count: 400)))
        bench.prompt("p1", "one")
        #expect(bench.standing == .busy && bench.stages("p1") == [.refused])
        bench.ends("3")
        #expect(bench.standing == .busy)
        bench.editor(ACPBench.prompt("4", "hi"))
        bench.ends("4")
        #expect(bench.standing == .idle)
    }

    @Test("nothing of ours stands in the middle of a long line of the editor's")
    func longLine() {
        var limits = ACPLimits()
        limits.lineBytes = 300
        var bench = ACPBench(limits: limits)
        bench.open(ACPBench.vibeModes)
        let long = Array((ACPBench.prompt("3", String(repeating: "x", count: 400)) + "\n").utf8)
        bench.take(.fromEditor(Array(long.prefix(350))))
        bench.steer("m1", .mode("accept-edits"))
        bench.take(.fromEditor(Array(long.dropFirst(350))))
        #expect(bench.toAgent.starts(with: long) && bench.takeAgentLines().count == 2)
    }

    @Test("a session that is closed ends what is awaited, and one that is loaded tells its past before anything is given")
    func closedAndLoaded() {
        var bench = open()
        bench.prompt("p1", "from afar")
        bench.editor(#"{"jsonrpc":"2.0","id":5,"method":"session/close","params":{"sessionId":"\#(ACPBench.session)"}}"#)
        bench.agent(#"{"jsonrpc":"2.0","id":5,"result":{}}"#)
        #expect(bench.stages("p1") == [.given, .unknown] && bench.stands.last?.stand == nil)
        bench.editor(
            #"{"jsonrpc":"2.0","id":6,"method":"session/load","params":{"sessionId":"\#(ACPBench.session)","cwd":"/p/q"}}"#)
        bench.prompt("p2", "too early")
        bench.echoes("long ago")
        #expect(bench.stages("p2") == [.refused] && bench.stands.last?.stand == nil)
        bench.agent(#"{"jsonrpc":"2.0","id":6,"result":{}}"#)
        #expect(bench.standing == .idle)
    }

    @Test("without a client that goes on only an interrupt is offered, and says why")
    func onePrompt() {
        var bench = ACPBench(takesPrompts: false)
        bench.open()
        #expect(bench.stands.last?.stand?.offer.actions == [.interrupt])
        #expect(bench.stands.last?.stand?.offer.reason?.contains("--prompt") == true)
        bench.prompt("p1", "from afar")
        #expect(bench.stages("p1") == [.refused] && bench.takeAgentLines() == [])
    }

    @Test("so many sessions are offered, and no more")
    func sessions() {
        var limits = ACPLimits()
        limits.steeredMax = 2
        var bench = ACPBench(limits: limits)
        for number in 0..<4 {
            bench.editor(#"{"jsonrpc":"2.0","id":\#(number),"method":"session/new","params":{"cwd":"/p"}}"#)
            bench.agent(#"{"jsonrpc":"2.0","id":\#(number),"result":{"sessionId":"a-session-of-that-name-\#(number)"}}"#)
        }
        #expect(bench.stands.map(\.session.rawValue) == ["a-session-of-that-name-0", "a-session-of-that-name-1"])
    }
}

extension ACPBench {
    fileprivate mutating func takeAllOfEditor() { _ = takeEditorLines() }
}
