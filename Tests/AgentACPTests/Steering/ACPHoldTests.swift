import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

@Suite("ACP while a budget is spent")
struct ACPHoldTests {
    private static let session = SessionID(ACPBench.session)!

    private func held(_ limits: ACPLimits = ACPLimits(), isAlone: Bool = false) -> ACPBench {
        var bench = ACPBench(isAlone: isAlone, limits: limits)
        bench.begin()
        bench.take(.held([Self.session], of: [Self.session]))
        bench.toAgent = []
        bench.toEditor = []
        return bench
    }

    private var reach: (ACPBench) -> HoldReach? { { $0.stands.last?.stand?.offer.hold } }

    // MARK: What is said

    @Test("it can be held in part from the first permission that its agent asks for")
    func inPart() {
        var bench = ACPBench()
        bench.begin()
        #expect(reach(bench) == .unchanged)
        bench.permission()
        #expect(reach(bench) == .most)
        bench.editor(ACPBench.selected("allow_once"))
        bench.ends("3")
        #expect(reach(bench) == .most)
    }

    @Test("in another mode nothing is known again, and in one that asks nobody no permission counts")
    func anotherMode() {
        var bench = ACPBench()
        bench.open(ACPBench.vibeModes)
        bench.editor(ACPBench.prompt("3", "go"))
        bench.permission(call: #"{"toolCallId":"c1","title":"Remove it","rawInput":{"command":"rm x"}}"#)
        bench.editor(ACPBench.selected("allow_once"))
        #expect(reach(bench) == .most)
        bench.update(#"{"sessionUpdate":"current_mode_update","currentModeId":"accept-edits"}"#)
        #expect(reach(bench) == .unchanged)
        bench.update(#"{"sessionUpdate":"current_mode_update","currentModeId":"full-access"}"#)
        bench.permission(id: "1", call: #"{"toolCallId":"c2","title":"Remove it","rawInput":{"command":"rm y"}}"#)
        #expect(reach(bench) == .unchanged)
        bench.update(#"{"sessionUpdate":"current_mode_update","currentModeId":"ask"}"#)
        #expect(reach(bench) == .unchanged)
    }

    @Test("a file that is changed unasked shows that the agent does not ask")
    func changedUnasked() {
        var bench = ACPBench()
        bench.begin()
        bench.permission()
        bench.editor(ACPBench.selected("allow_once"))
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        bench.update(#"{"sessionUpdate":"tool_call","toolCallId":"read","title":"Read a","kind":"read","status":"completed"}"#)
        bench.start(call: "ls", input: #"{"command":"ls"}"#, title: "bash: ls")
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"ls","status":"completed"}"#)
        #expect(reach(bench) == .most)
        bench.update(#"{"sessionUpdate":"tool_call","toolCallId":"edit","title":"Edit a","kind":"edit","status":"pending"}"#)
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"edit","status":"failed"}"#)
        #expect(reach(bench) == .most)
        bench.update(#"{"sessionUpdate":"tool_call","toolCallId":"edit2","title":"Edit a","kind":"edit","status":"completed"}"#)
        #expect(reach(bench) == .unchanged)
    }

    @Test("a file that is changed after it was asked about proves nothing else")
    func changedAsked() {
        var bench = ACPBench()
        bench.begin()
        bench.update(#"{"sessionUpdate":"tool_call","toolCallId":"edit","title":"Edit a","kind":"edit","status":"pending"}"#)
        bench.permission(call: #"{"toolCallId":"edit"}"#)
        bench.editor(ACPBench.selected("allow_once"))
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"edit","status":"completed"}"#)
        #expect(reach(bench) == .most)
    }

    @Test("while it asks, a client cannot change the mode that it asks in")
    func modeStays() {
        var bench = ACPBench()
        bench.open(ACPBench.vibeModes)
        bench.take(.held([Self.session], of: [Self.session]))
        bench.editor(ACPBench.prompt("3", "go"))
        bench.permission(call: #"{"toolCallId":"c1","title":"Remove it","rawInput":{"command":"rm x"}}"#)
        bench.editor(ACPBench.selected("reject_once"))
        bench.steer("c", .mode("accept-edits"))
        #expect(bench.stages("c") == [.refused] && bench.reason("c").contains("a budget is spent"))
        bench.take(.held([], of: [Self.session]))
        bench.steer("d", .mode("accept-edits"))
        #expect(bench.stages("d") == [.given])
    }

    // MARK: An editor that answers by itself

    @Test("an editor's allow that nobody can have read is not the agent's answer: a client's is")
    func unread() {
        var bench = held()
        bench.permission()
        bench.editor(ACPBench.selected("allow_always"))
        #expect(bench.takeAgentLines() == [] && bench.settled.isEmpty && bench.withdrawn.isEmpty)
        #expect(bench.standing == .waiting)
        bench.take(.decided(bench.asked[0].approval, ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines() == [ACPBench.selected("allow_once")])
        // The editor has no dialog to close, and owes no response: its next one under that id counts.
        #expect(bench.takeEditorLines().count == 1)
        bench.permission()
        bench.now.monotonic += 1_000
        bench.editor(ACPBench.selected("allow_once"))
        #expect(bench.takeAgentLines() == [ACPBench.selected("allow_once")])
    }

    @Test("a person's answer counts, as do a denial at any time and each answer if nothing is held")
    func read() {
        var bench = held()
        bench.permission()
        bench.now.monotonic += ACPLimits().readingWithin.milliseconds
        bench.editor(ACPBench.selected("allow_once"))
        #expect(bench.takeAgentLines() == [ACPBench.selected("allow_once")])
        bench.permission(id: "1")
        bench.editor(ACPBench.selected("reject_once", id: "1"))
        #expect(bench.takeAgentLines() == [ACPBench.selected("reject_once", id: "1")])
        bench.take(.held([], of: [Self.session]))
        bench.permission(id: "2")
        bench.editor(ACPBench.selected("allow_once", id: "2"))
        #expect(bench.takeAgentLines() == [ACPBench.selected("allow_once", id: "2")])
    }

    @Test("without an editor whoever types is a person")
    func typed() {
        var bench = held(isAlone: true)
        bench.permission()
        bench.editor(ACPBench.selected("allow_once"))
        #expect(bench.takeAgentLines() == [ACPBench.selected("allow_once")])
    }

    @Test("if no client decides it is denied")
    func undecided() {
        var bench = held()
        bench.permission()
        bench.editor(ACPBench.selected("allow_once"))
        bench.take(.undecided(bench.asked[0].approval))
        #expect(bench.takeAgentLines() == [ACPBench.selected("reject_once")] && bench.leftToEditor.isEmpty)
        #expect(bench.standing == .busy)
    }

    @Test("if no client can be asked it is denied at once, with the agent's own no")
    func unasked() {
        var limits = ACPLimits()
        limits.questionsMax = 0
        var bench = held(limits)
        bench.permission()
        bench.editor(ACPBench.selected("allow_once"))
        bench.permission(id: "1", options: #"[{"optionId":"go","name":"Go","kind":"allow_once"}]"#)
        bench.editor(ACPBench.selected("go", id: "1"))
        #expect(
            bench.takeAgentLines() == [
                ACPBench.selected("reject_once"), #"{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}"#,
            ])
    }

    @Test("it is cancelled with its turn, also before clients are asked", arguments: [true, false])
    func cancelled(isForAll: Bool) {
        var bench = held()
        bench.permission(call: isForAll ? #"{"toolCallId":"confirmation-1"}"# : #"{"toolCallId":"effect-1"}"#)
        bench.editor(ACPBench.selected("allow_once"))
        #expect(bench.asked.isEmpty == isForAll && bench.takeAgentLines() == [])
        bench.editor(ACPBench.cancel)
        #expect(
            bench.takeAgentLines().sorted() == [
                #"{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#, ACPBench.cancel,
            ])
    }

    @Test("if a line of either side goes by unread it is denied", arguments: [true, false])
    func missed(isAgents: Bool) {
        var limits = ACPLimits()
        limits.lineBytes = 4_096
        var bench = held(limits)
        bench.permission()
        bench.editor(ACPBench.selected("allow_once"))
        let long = String(repeating: "x", count: 5_000)
        if isAgents { bench.agent(long) } else { bench.editor(long) }
        #expect(bench.takeAgentLines().last == ACPBench.selected("reject_once"))
        #expect(bench.leftToEditor.isEmpty)
    }
}
