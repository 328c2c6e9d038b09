import RelayModel
import RelayProtocol
import Testing

@Suite("The summary")
struct ReducerTests {
    typealias T = RelayTranscript

    private func summary(_ heads: [EventHead]) -> Summary {
        let t = T()
        let host = t.host()
        t.send(heads, first: 1, by: host)
        t.commit()
        return t.states[T.key]!.summary
    }

    private func usage(run: String? = nil, cost: Int64? = nil, output: Int64? = nil) -> EventHead {
        var usage = Usage()
        usage.run = run
        usage.costMicroUSD = cost
        usage.tokens = output.map { Tokens(output: $0) }
        return .usage(usage)
    }

    @Test("an error is what happens until the agent works again, or has ended well")
    func errors() {
        let error = EventHead.error(message: "overloaded", recoverable: true)
        let tool = EventHead.toolStarted(ToolStart(call: "1", tool: "Bash", operation: "Running: ls"))
        let running = EventHead.statusChanged(.running, reason: nil)
        #expect(summary([T.started, running, error]).error == "overloaded")
        #expect(summary([T.started, running, error, .message(.assistant, summary: "s")]).error == "overloaded")
        #expect(summary([T.started, running, error, tool]).error == nil)
        #expect(summary([T.started, running, error, running]).error == nil)
        #expect(summary([T.started, running, error, .sessionEnded(reason: nil, failed: false)]).error == nil)
        #expect(summary([T.started, running, error, .sessionEnded(reason: "r", failed: true)]).error == "overloaded")
    }

    @Test("a session's life shows in its fields")
    func life() {
        var facts = SessionFacts(agentName: "claude-code")
        facts.model = "opus"
        facts.project = "relay"
        var finish = ToolFinish(call: "2", tool: "Edit", succeeded: true)
        finish.durationMilliseconds = 5
        var start = ToolStart(call: "1", tool: "Bash", operation: "Running: ls")
        start.file = "a.swift"
        let result = summary([
            .sessionStarted(facts), .message(.user, summary: nil), .message(.thought, summary: nil),
            .statusChanged(.running, reason: nil), .toolStarted(start), .toolFinished(finish),
            .fileChanged(path: "b.swift", added: 3, removed: 1),
            .todoChanged(TodoProgress(completed: 1, total: 3, current: "x")),
            .subagentStarted(agent: "s"),
        ])
        #expect(result.agentName == "claude-code")
        #expect(result.model == "opus")
        #expect(result.project == "relay")
        #expect(result.status == .running)
        #expect(result.operation == "Running: ls", "another call's end is not this one's")
        #expect(result.file == "b.swift")
        #expect(result.operations == 1)
        #expect(result.messages == 1)
        #expect(result.linesAdded == 3)
        #expect(result.todo == TodoProgress(completed: 1, total: 3, current: "x"))
        #expect(result.subagents == 1)
        #expect(result.seq == 9)
    }

    @Test("what a person can do something about covers the status")
    func statusCover() {
        #expect(summary([T.started, .statusChanged(.running, reason: nil), T.request()]).status == .waitingApproval)
        #expect(summary([T.started, T.request("q", kind: .question)]).status == .waitingAnswer)
        #expect(summary([T.started, T.request(), T.request("q", kind: .question)]).status == .waitingApproval)
        let settled = summary([
            T.started, .statusChanged(.running, reason: nil), T.request(),
            .approvalCancelled(ApprovalID("a1")!, reason: "allowedLocally"),
        ])
        #expect(settled.status == .running)
        #expect(settled.approvals == 0)
        #expect(summary([T.started, .sessionEnded(reason: "exit", failed: false)]).status == .completed)
        #expect(summary([T.started, .sessionEnded(reason: nil, failed: true)]).status == .failed)
    }

    @Test("a tool that waits for approval is not said to run, nor is one whose decision waits for the host")
    func waitingTool() {
        let call = ToolStart(call: "c1", tool: "Bash", operation: "Running: rm -rf build")
        let asked: [EventHead] = [T.started, .statusChanged(.running, reason: nil), .toolStarted(call), T.request()]
        let pending = summary(asked)
        #expect(pending.status == .waitingApproval && pending.operation == "Run: ls")
        let decision = Decision(.allow, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
        let id = ApprovalID("a1")!
        let decided = summary(asked + [.approvalDecided(id, decision)])
        #expect(decided.status == .waitingApproval && decided.approvals == 0)
        #expect(decided.statusReason == "decided, waits for the host" && decided.operation == decided.statusReason)
        let delivered = summary(asked + [.approvalDecided(id, decision), .approvalDelivered(id)])
        #expect(delivered.status == .running && delivered.statusReason == nil && delivered.operation == call.operation)
    }

    @Test("a dialog at the terminal is what it does, whatever tool began before")
    func atTheTerminal() {
        let call = ToolStart(call: "c1", tool: "Bash", operation: "Running: rm -rf build")
        let waits = EventHead.statusChanged(.waitingApproval, reason: "waits at the terminal")
        let waiting = summary([T.started, .toolStarted(call), waits])
        #expect(waiting.status == .waitingApproval && waiting.operation == "waits at the terminal")
        let goesOn = summary([T.started, .toolStarted(call), waits, .statusChanged(.running, reason: nil)])
        #expect(goesOn.status == .running && goesOn.operation == call.operation)
    }

    @Test("cost counts up over runs and ignores repeats")
    func cost() {
        #expect(summary([T.started, usage(run: "r1", cost: 100), usage(run: "r1", cost: 100)]).costMicroUSD == 100)
        #expect(summary([T.started, usage(run: "r1", cost: 100), usage(run: "r1", cost: 70)]).costMicroUSD == 100)
        #expect(summary([T.started, usage(run: "r1", cost: 100), usage(run: "r2", cost: 30)]).costMicroUSD == 130)
        #expect(summary([T.started, usage(cost: 100), usage(cost: 30), usage(cost: 50)]).costMicroUSD == 150)
        func guess(_ run: String, _ estimate: Int64) -> EventHead {
            var usage = Usage()
            (usage.run, usage.estimateMicroUSD) = (run, estimate)
            return .usage(usage)
        }
        let guessed = summary([T.started, usage(run: "r1", cost: 100), guess("r1", 9), guess("r1", 7), guess("r2", 2)])
        #expect(guessed.estimateMicroUSD == 9 && guessed.costMicroUSD == 100)
        #expect(summary([T.started, guess("r1", 9), guess("r1", 0)]).estimateMicroUSD == nil)
        #expect(summary([T.started, usage(run: "r1", output: 10), usage(run: "r2", output: 5)]).tokens?.output == 15)
    }

    @Test("no number a host may send overflows a sum")
    func saturation() {
        let most = JSONValue.integerMax
        let result = summary(
            [T.started] + Array(repeating: .fileChanged(path: "x", added: most, removed: most), count: 100)
                + (0..<50).map { usage(run: "r\($0)", cost: 1_000_000_000_000, output: most) })
        #expect(result.linesAdded == most)
        #expect(result.tokens?.output == most)
        #expect(result.costMicroUSD == 50_000_000_000_000)
    }

    @Test("a stored state reads back as it was")
    func storedState() throws {
        let t = T()
        let host = t.host()
        t.send(
            [T.started, usage(run: "r1", cost: 5, output: 3), .subagentStarted(agent: "x"), T.request()], first: 1, by: host)
        t.commit()
        let state = t.states[T.key]!
        #expect(try SessionState(stored: state.bytes) == state)
    }
}
