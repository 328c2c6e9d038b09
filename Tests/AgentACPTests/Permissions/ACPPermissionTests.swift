import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

@Suite("ACP: permissions")
struct ACPPermissionTests {
    private func asked(options: String = ACPBench.options) throws -> (ACPBench, ApprovalID) {
        var bench = ACPBench()
        bench.begin()
        bench.permission(options: options)
        _ = bench.takeAgentLines()
        _ = bench.takeEditorLines()
        return (bench, try #require(bench.asked.first?.approval))
    }

    @Test("from afar first: the agent gets the exact option, the editor is told to stop, its late answer goes nowhere")
    func remoteFirst() throws {
        var (bench, approval) = try asked()
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines() == [ACPBench.selected("allow_once")])
        #expect(bench.takeEditorLines() == [#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#])
        bench.editor(ACPBench.selected("allow_always_permanent"))
        #expect(bench.takeAgentLines() == [])
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        #expect(bench.settled.map(\.outcome) == [.ran])
        // The swallowed answer counted for the old request: the next with that id is for another.
        bench.editor(ACPBench.selected("allow_once"))
        #expect(bench.takeAgentLines().count == 1)
    }

    @Test("a call that runs on after its turn: what was allowed ran, it is said to run, and its own end is told")
    func runsOn() throws {
        var (bench, approval) = try asked()
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"in_progress"}"#)
        #expect(bench.settled.map(\.outcome) == [.ran])
        bench.events = []
        bench.ends("3")
        #expect(bench.told == ["status idle in the background: a call"])
        bench.events = []
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        #expect(bench.told == ["finished bash true", "status idle"])
        #expect(bench.settled.count == 1)
    }

    @Test("a call of which nothing says that it runs after the question ends with its turn, as do all of one that is cut short")
    func endsWithItsTurn() throws {
        for (says, reason) in [(false, "end_turn"), (true, "cancelled")] {
            var (bench, approval) = try asked()
            bench.take(.decided(approval, ACPVerdict(allows: true)))
            if says { bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"in_progress"}"#) }
            bench.ends("3", reason)
            #expect(bench.settled.map(\.outcome) == [says ? .ran : .unknown])
            #expect(bench.told.contains("finished bash false"))
        }
    }

    /// `says`: the agent says between the questions that the call runs. `isAtEditor`: the second is answered there.
    @Test(
        "a call about which its agent asks again proves the newer answer, and the earlier only if it ran in between",
        arguments: [false, true], [false, true])
    func askedAgain(says: Bool, isAtEditor: Bool) throws {
        var (bench, approval) = try asked()
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        if says { bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"in_progress"}"#) }
        bench.permission(id: "1", call: #"{"toolCallId":"effect-1","rawInput":{"command":"sudo rm -rf build"}}"#)
        let second = try #require(bench.asked.last?.approval)
        #expect(second != approval && bench.settled.map(\.outcome) == [says ? .ran : .unknown])
        if isAtEditor {
            bench.editor(ACPBench.selected("allow_once", id: "1"))
        } else {
            bench.take(.decided(second, ACPVerdict(allows: true)))
        }
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        #expect(bench.settled.map(\.approval) == [approval, second])
        #expect(bench.settled.last?.outcome == (isAtEditor ? .answeredElsewhere : .ran))
        #expect(!bench.told.contains { $0.hasPrefix("error") }, "it ran as asked, and its first report is older")
    }

    @Test("an input that changes after the question is told once, when the call runs", arguments: ["in_progress", "completed"])
    func changed(status: String) throws {
        func runs(_ input: String, as status: String) throws -> [String] {
            var (bench, approval) = try asked()
            bench.take(.decided(approval, ACPVerdict(allows: true)))
            bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","rawInput":\#(input)}"#)
            for status in [status, "completed"] {
                bench.update(
                    #"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"\#(status)","rawInput":\#(input)}"#)
            }
            return bench.told.filter { $0.hasPrefix("error") }
        }
        let other = #"{"command":"echo other"}"#
        #expect(
            try runs(other, as: status)
                == ["error Changed before it ran, by a hook or program other than Heliograph. bash ran: \(other)"])
        #expect(try runs(#"{ "command": "rm -rf build" }"#, as: status) == [])
        #expect(try runs(other, as: "failed") == [], "it did not run")
    }

    @Test("what fails without a word that it runs is not said to have run, whatever was allowed")
    func stopped() throws {
        for (more, outcome) in [("", ACPOutcome.unknown), (#","rawOutput":{"exit_code":1}"#, .ran)] {
            var (bench, approval) = try asked()
            bench.take(.decided(approval, ACPVerdict(allows: true)))
            bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"failed"\#(more)}"#)
            #expect(bench.settled.map(\.outcome) == [outcome])
        }
    }

    @Test("a line break or a hidden character in a folder's name is spelled out")
    func spelled() {
        var bench = ACPBench()
        bench.editor(#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w/a\nb\u202ec","mcpServers":[]}}"#)
        bench.agent(#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"\#(ACPBench.session)"}}"#)
        guard case .sessionStarted(let facts)? = bench.events.first?.event.head else {
            Issue.record("no session")
            return
        }
        #expect(facts.project == "a⏎b⟨U+202E⟩c" && facts.workingDirectory == "/w/a⏎b⟨U+202E⟩c")
    }

    @Test("a later question that names no call is not for one that runs on, and of too many such calls the oldest are ended")
    func leftCalls() throws {
        var limits = ACPLimits()
        limits.leftCallsMax = 1
        var bench = ACPBench(limits: limits)
        bench.begin(call: "a")
        bench.start(call: "b", input: #"{"command":"make"}"#, title: "make")
        bench.events = []
        bench.ends("3")
        #expect(bench.told == ["finished bash false", "status idle in the background: a call"])
        bench.start(call: "c", input: #"{"command":"ls"}"#, title: "ls")
        bench.permission(call: #"{"toolCallId":"confirmation-1","title":"Confirm"}"#)
        while bench.asked.isEmpty, bench.wait() {}
        #expect(bench.asked.map(\.title) == ["ls"])
    }

    /// The form of deepagents-acp and claude-code-acp: the permission's call has another id than the call itself, and the same
    /// input.
    private static func request(_ input: String) -> String {
        #"{"toolCallId":"perm-1","title":"Run it","rawInput":\#(input)}"#
    }

    @Test(
        "a permission whose call has another name is of the only call with that input, whether that is told before or after",
        arguments: [true, false], [true, false])
    func joinedByInput(isToldBefore: Bool, isAllowed: Bool) throws {
        var bench = ACPBench()
        bench.begin(call: "other", input: #"{"command":"ls"}"#, title: "ls")
        let input = #"{"command":"rm -rf build","timeout":5}"#
        if isToldBefore { bench.start(call: "effect-1", input: input, title: "rm") }
        bench.permission(call: Self.request(#"{"timeout":5, "command":"rm -rf build"}"#))
        let question = try #require(bench.asked.first)
        #expect(question.title == "Run it")
        bench.take(.decided(question.approval, ACPVerdict(allows: isAllowed)))
        if !isToldBefore { bench.start(call: "effect-1", input: input, title: "rm") }
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"other","status":"completed"}"#)
        // A call that runs after its allow counts as settled at once.
        #expect(bench.settled.isEmpty == (isToldBefore || !isAllowed))
        bench.update(
            #"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"\#(isAllowed ? "completed" : "failed")"}"#)
        #expect(bench.settled.map(\.outcome) == [isAllowed ? .ran : .refused])
    }

    @Test("of two calls with the same input neither is known to be the one, unless one has its permission")
    func notUnique() throws {
        var bench = ACPBench()
        let input = #"{"command":"ls"}"#
        bench.begin(call: "a", input: input, title: "ls")
        bench.start(call: "b", input: input, title: "ls")
        bench.permission(call: Self.request(input))
        bench.take(.decided(try #require(bench.asked.first).approval, ACPVerdict(allows: true)))
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}"#)
        #expect(bench.settled.isEmpty)
        bench.ends("3")
        #expect(bench.settled.map(\.outcome) == [.unknown])

        var one = ACPBench()
        one.begin(call: "a", input: input, title: "ls")
        one.permission(call: Self.request(input))
        one.take(.decided(try #require(one.asked.last).approval, ACPVerdict(allows: true)))
        one.permission(id: "8", call: Self.request(input))
        one.take(.decided(try #require(one.asked.last).approval, ACPVerdict(allows: false)))
        one.start(call: "b", input: input, title: "ls")
        one.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"b","status":"failed"}"#)
        one.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}"#)
        #expect(one.settled.map(\.outcome) == [.refused, .ran])
    }

    @Test("numbers that no double holds are asked about as the agent wrote them")
    func exactNumbers() throws {
        let input = #"{"n":9007199254740993,"l":[12345678901234567891,1e400]}"#
        var bench = ACPBench()
        bench.begin(input: input)
        bench.permission()
        #expect(String(decoding: try #require(bench.asked.first).input, as: UTF8.self) == input)
    }

    @Test(
        "a file that the agent reports to be written is shown unless its input names it",
        arguments: [
            (#""rawInput":{"id":1}"#, #"{"id":1,"filesReported":["/home/dev/proj/.ssh/x"],"contentReported":[CHANGE]}"#),
            (
                #""rawInput":{"path":"x","text":"k"}"#,
                #"{"path":"x","text":"k","filesReported":["/home/dev/proj/.ssh/x"],"contentReported":[CHANGE]}"#
            ),
            (#""rawInput":{"path":".ssh/x","text":"k"}"#, #"{"path":".ssh/x","text":"k"}"#),
            (#""rawInput":{"path":"/home/dev/proj/.ssh/x","text":"k"}"#, #"{"path":"/home/dev/proj/.ssh/x","text":"k"}"#),
            (#""title":"Write""#, #"{"tool":"save","kind":"edit","title":"Write","content":[CHANGE]}"#),
        ])
    func reportedFiles(call: String, shown: String) throws {
        let change = #"{"type":"diff","path":"/home/dev/proj/.ssh/x","oldText":null,"newText":"k"}"#
        var bench = ACPBench()
        bench.begin()
        bench.update(
            #"{"sessionUpdate":"tool_call","toolCallId":"w","kind":"edit","_meta":{"tool_name":"save"},"content":[\#(change)],\#(call)}"#
        )
        bench.permission(call: #"{"toolCallId":"w"}"#)
        let input = try #require(bench.asked.last).input
        #expect(String(decoding: input, as: UTF8.self) == shown.split(separator: "CHANGE").joined(separator: change))
        #expect(RequestRisks.written(in: try JSONDocument(parsing: input).root, of: "save").contains { $0.hasSuffix(".ssh/x") })
    }

    @Test("a call whose input has the members that report its files is not shown")
    func takenNames() {
        var bench = ACPBench()
        bench.begin()
        bench.update(
            #"{"sessionUpdate":"tool_call","toolCallId":"w","kind":"delete","locations":[{"path":"/p/x"}],"rawInput":{"filesReported":[]}}"#
        )
        bench.permission(call: #"{"toolCallId":"w"}"#)
        #expect(bench.asked.isEmpty)
    }

    @Test("the editor's error for what was cancelled is left out as well")
    func cancelledError() throws {
        var (bench, approval) = try asked()
        bench.take(.decided(approval, ACPVerdict(allows: false)))
        #expect(bench.takeAgentLines() == [ACPBench.selected("reject_once")])
        bench.editor(#"{"jsonrpc":"2.0","id":0,"error":{"code":-32800,"message":"Request cancelled"}}"#)
        #expect(bench.takeAgentLines() == [])
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"failed"}"#)
        #expect(bench.settled.map(\.outcome) == [.refused])
    }

    @Test("the editor first: its answer goes through, and what comes from afar goes nowhere")
    func editorFirst() throws {
        var (bench, approval) = try asked()
        bench.editor(ACPBench.selected("reject_once"))
        #expect(bench.takeAgentLines() == [ACPBench.selected("reject_once")])
        #expect(bench.settled.map(\.outcome) == [.answeredElsewhere] && bench.withdrawn == [approval])
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines() == [] && bench.takeEditorLines() == [])
        #expect(bench.settled.count == 1)
    }

    @Test("an identifier is compared as it is written", arguments: ["0", "\"0\"", "null", "-1", "\"a b\"", "1.0"])
    func identifiers(_ id: String) throws {
        var bench = ACPBench()
        bench.begin()
        bench.permission(id: id)
        bench.editor(ACPBench.selected("allow_once", id: "77"))
        #expect(bench.withdrawn.isEmpty)
        bench.take(.decided(try #require(bench.asked.first?.approval), ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines().last == ACPBench.selected("allow_once", id: id))
        bench.editor(ACPBench.selected("reject_once", id: id))
        #expect(bench.takeAgentLines() == [])
    }

    // MARK: Which option

    private static let openHands = """
        [{"kind":"allow_once","name":"Auto-confirm LOW/MEDIUM risk, ask for HIGH risk action","optionId":"risk_based"},\
        {"kind":"allow_once","name":"Yes, proceed","optionId":"accept"},{"kind":"reject_once","name":"Reject","optionId":"reject"},\
        {"kind":"allow_always","name":"Always proceed (don't ask again)","optionId":"always_proceed"}]
        """

    @Test("a plain allow is the first that allows once, and none that lasts")
    func plainAllow() throws {
        var (bench, approval) = try asked(options: Self.openHands)
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines() == [ACPBench.selected("accept")])
    }

    @Test("what lasts is chosen by its own tap alone: by its identifier or its name")
    func tapped() throws {
        for (tap, option) in [("risk_based", "risk_based"), ("Always proceed (don't ask again)", "always_proceed")] {
            var (bench, approval) = try asked(options: Self.openHands)
            bench.take(.decided(approval, ACPVerdict(allows: true, option: tap)))
            #expect(bench.takeAgentLines() == [ACPBench.selected(option)])
        }
    }

    @Test("the daemon is told every option by its name; what lasts is said to last, and what the agent would remember with it")
    func options() throws {
        let (bench, _) = try asked(options: Self.openHands)
        let told = try JSONDocument(parsing: try #require(bench.asked.first).json(waitSeconds: 1)).root.required("options")
        let kinds = try told.array().map { try $0.string("id") + " " + $0.string("kind") }
        #expect(
            kinds == ["risk_based allow_always", "accept allow_once", "reject reject_once", "always_proceed allow_always"])
        let vibe = """
            [{"optionId":"a","name":"Always","kind":"allow_always","_meta":{"required_permissions":[\
            {"scope":"command_pattern","session_pattern":"touch *","label":"x"},{"scope":"command_pattern","session_pattern":"ls *"}]}},\
            {"optionId":"b","name":"Always too","kind":"allow_always","_meta":{"required_permissions":[{"scope":"other"}]}}]
            """
        let (other, _) = try asked(options: vibe)
        #expect(other.asked.first?.options.map(\.rule) == ["touch *\nls *", nil])
    }

    @Test("an allow that fits no option is no answer: the editor's prompt stands")
    func noFit() throws {
        let onlyAlways = """
            [{"kind":"allow_always","name":"Always","optionId":"always"},{"kind":"reject_once","name":"No","optionId":"no"}]
            """
        for verdict in [ACPVerdict(allows: true), ACPVerdict(allows: true, option: "what?")] {
            var (bench, approval) = try asked(options: onlyAlways)
            bench.take(.decided(approval, verdict))
            #expect(bench.takeAgentLines() == [] && bench.takeEditorLines() == [])
            #expect(bench.settled.map(\.outcome) == [.unknown])
            bench.editor(ACPBench.selected("always"))
            #expect(bench.takeAgentLines() == [ACPBench.selected("always")])
        }
    }

    @Test("a deny is the first that rejects once, else the question is cancelled; never an allow, never for always")
    func deny() throws {
        let onlyAllow =
            #"[{"kind":"allow_once","name":"Yes","optionId":"yes"},{"kind":"reject_always","name":"Never","optionId":"never"}]"#
        var (bench, approval) = try asked(options: onlyAllow)
        bench.take(.decided(approval, ACPVerdict(allows: false, option: "yes")))
        #expect(bench.takeAgentLines() == [#"{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#])
    }

    @Test("an allow whose tapped option rejects is a no")
    func contradiction() throws {
        var (bench, approval) = try asked()
        bench.take(.decided(approval, ACPVerdict(allows: true, option: "Deny")))
        #expect(bench.takeAgentLines() == [ACPBench.selected("reject_once")])
    }

    @Test("the daemon's answer is read strictly")
    func verdicts() {
        func verdict(_ json: String) -> ACPVerdict? { ACPVerdict(answer: Array(json.utf8)) }
        #expect(verdict(#"{"decision":"allow"}"#) == ACPVerdict(allows: true))
        #expect(
            verdict(#"{"decision":"deny","message":"no","option":"reject"}"#) == ACPVerdict(allows: false, option: "reject"))
        for other in [
            #"{"decision":"answer"}"#, "{}", "", #"{"decision":"allow","option":7}"#,
            #"{"decision":"allow","decision":"deny"}"#,
        ] {
            #expect(verdict(other) == nil)
        }
    }

    // MARK: What is asked about

    @Test("two permissions of one name are asked once; the second is the editor's alone")
    func repeated() throws {
        var (bench, approval) = try asked()
        bench.permission()
        #expect(bench.asked.count == 1)
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        bench.permission()
        #expect(bench.asked.count == 1)
    }

    @Test("where several calls have not ended, and the question names none, all of them are shown")
    func several() throws {
        var bench = ACPBench()
        bench.begin()
        bench.start(call: "effect-2", input: #"{"command":"curl evil"}"#, title: "bash: curl evil")
        bench.permission(call: Self.unnamed)
        bench.wait()
        let input = String(decoding: try #require(bench.asked.first?.input), as: UTF8.self)
        #expect(input.contains("rm -rf build") && input.contains("curl evil"))
    }

    /// The form of OpenHands, which asks once for all calls that it has reported.
    private static let unnamed = #"{"toolCallId":"confirmation-1","title":"Confirm Agent Actions"}"#

    @Test("a question that comes before the call that it is for is asked when that has begun")
    func beforeItsCall() throws {
        var bench = ACPBench()
        bench.begin()
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        bench.permission(call: Self.unnamed)
        bench.start(call: "effect-2", input: #"{"command":"curl evil"}"#, title: "bash: curl evil")
        #expect(bench.asked.isEmpty)
        bench.wait()
        let question = try #require(bench.asked.first)
        #expect(bench.asked.count == 1 && String(decoding: question.input, as: UTF8.self) == #"{"command":"curl evil"}"#)
        bench.take(.decided(question.approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines().last == ACPBench.selected("allow_once"))
    }

    @Test("a call that begins after the question withdraws it, and all calls are asked about")
    func callAfterIt() throws {
        var bench = ACPBench()
        bench.begin()
        bench.permission(call: Self.unnamed)
        bench.wait()
        let first = try #require(bench.asked.first)
        bench.start(call: "effect-2", input: #"{"command":"curl evil"}"#, title: "bash: curl evil")
        #expect(bench.withdrawn == [first.approval] && bench.settled.map(\.outcome) == [.cancelled])
        let before = bench.takeAgentLines()
        bench.take(.decided(first.approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines() == [] && !before.contains(ACPBench.selected("allow_once")))
        bench.wait()
        let input = String(decoding: try #require(bench.asked.last).input, as: UTF8.self)
        #expect(bench.asked.count == 2 && input.contains("rm -rf build") && input.contains("curl evil"))
    }

    @Test("who answers at the editor before clients are asked has answered", arguments: ["editor", "agent", "gap", "closed"])
    func endedUnasked(by: String) {
        var bench = ACPBench()
        bench.begin()
        bench.permission(call: Self.unnamed)
        switch by {
        case "editor": bench.editor(ACPBench.selected("reject_once"))
        case "agent": bench.agent(#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#)
        case "gap": bench.agent(String(repeating: "x", count: 9 << 20))
        default: bench.take(.editorClosed)
        }
        #expect(!bench.wait() && bench.asked.isEmpty && bench.settled.isEmpty)
        #expect(bench.leftToEditor == (by == "gap" ? ["0"] : []))
    }

    @Test("a question about a call that nobody told of is about what it says itself, and never about another that is open")
    func unknownCall() {
        for (call, shown) in [
            (#"{"toolCallId":"other","title":"ls","kind":"execute","rawInput":{"command":"ls"}}"#, #"{"command":"ls"}"#),
            (#"{"toolCallId":"other","title":"ls","kind":"execute"}"#, nil),
            (#"{"toolCallId":"confirmation-1","title":"ls","rawInput":{"command":"ls"}}"#, #"{"command":"ls"}"#),
        ] {
            var bench = ACPBench()
            bench.begin()
            bench.permission(call: call)
            #expect(bench.asked.first.map { String(decoding: $0.input, as: UTF8.self) } == shown, "\(call)")
        }
        var bench = ACPBench()
        bench.begin()
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        bench.permission(call: #"{"title":"Do it"}"#)
        bench.wait()
        #expect(bench.asked.isEmpty && bench.leftToEditor == ["0"])
    }

    @Test("where the agent says more than can be read, what is open is no longer asked about from afar")
    func unreadAgent() throws {
        var (bench, approval) = try asked()
        bench.agent(String(repeating: "x", count: 9 << 20))
        #expect(bench.withdrawn == [approval])
        bench.permission(id: "1")
        #expect(bench.asked.count == 1)
    }

    @Test("a question that says nothing of what it is for is not asked from afar")
    func blind() {
        var bench = ACPBench()
        bench.begin()
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        bench.permission(call: Self.unnamed)
        bench.wait()
        #expect(bench.asked.isEmpty && bench.leftToEditor == ["0"])
    }

    @Test("an input that is too long to be shown is not asked about")
    func long() {
        var bench = ACPBench()
        let text = String(repeating: "x", count: 200 << 10)
        bench.begin(input: #"{"command":"\#(text)"}"#)
        bench.permission()
        #expect(bench.asked.isEmpty)
        bench.editor(ACPBench.selected("allow_once"))
        #expect(bench.takeAgentLines().last == ACPBench.selected("allow_once"))
    }

    // MARK: Ends

    @Test("a question that nobody decides is the editor's alone")
    func undecided() throws {
        var (bench, approval) = try asked()
        bench.take(.undecided(approval))
        #expect(bench.leftToEditor == ["0"])
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines() == [] && bench.takeEditorLines() == [])
        bench.editor(ACPBench.selected("reject_once"))
        #expect(bench.takeAgentLines() == [ACPBench.selected("reject_once")])
    }

    @Test("cancelling the turn with nobody asked from afar puts nothing into the conversation")
    func cancelUnasked() throws {
        var (bench, approval) = try asked()
        bench.take(.undecided(approval))
        let cancel = #"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"\#(ACPBench.session)"}}"#
        bench.editor(cancel)
        #expect(bench.takeAgentLines() == [cancel])
    }

    @Test("an agent that takes its question back ends it; the editor's answer to that still goes through")
    func takenBack() throws {
        var (bench, approval) = try asked()
        bench.agent(#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#)
        #expect(bench.withdrawn == [approval] && bench.settled.map(\.outcome) == [.cancelled])
        bench.editor(#"{"jsonrpc":"2.0","id":0,"error":{"code":-32800,"message":"cancelled"}}"#)
        #expect(bench.takeAgentLines().count == 1)
    }

    @Test("what the editor says and we cannot read may have been its answer: nobody else is to give one")
    func unreadable() throws {
        var (bench, approval) = try asked()
        bench.editor(#"{"jsonrpc":"2.0","id":0,"id":0,"result":{}}"#)
        #expect(bench.withdrawn == [approval])
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines().count == 1)
    }

    @Test("a turn that ends without a word about the call leaves the outcome unknown")
    func unproven() throws {
        var (bench, approval) = try asked()
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        bench.ends("3")
        #expect(bench.settled.map(\.outcome) == [.unknown])
    }

    @Test("an editor that leaves takes the open questions with it")
    func editorLeaves() throws {
        var (bench, approval) = try asked()
        bench.take(.editorClosed)
        bench.take(.decided(approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines() == [] && bench.withdrawn == [approval])
    }
}
