import HeliographTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

@Suite("ACP: forms")
struct ACPFormTests {
    private static let content = #"{"port":80,"sure":true}"#
    private static let filledIn = ACPVerdict(allows: true, content: Array(content.utf8))

    private func asked(_ ask: (inout ACPBench) -> Void = { $0.elicitation() }) throws -> (ACPBench, ApprovalID) {
        var bench = ACPBench()
        bench.begin()
        ask(&bench)
        _ = bench.takeAgentLines()
        _ = bench.takeEditorLines()
        return (bench, try #require(bench.asked.first?.approval))
    }

    @Test("the daemon is asked the form as the agent wrote it, as a question of the call")
    func question() throws {
        let (bench, _) = try asked()
        let told = try JSONDocument(parsing: try #require(bench.asked.first).json(waitSeconds: 1)).root
        #expect(try told.string("kind") == "question" && told.string("tool") == "bash" && told.optional("options") == nil)
        #expect(
            String(decoding: try told.required("form").bytes, as: UTF8.self)
                == #"{"message":"Which port?","schema":\#(ACPBench.form)}"#)
        #expect(bench.leftToEditor.isEmpty)
    }

    @Test("from afar first: the agent gets the answers, the editor is told to stop, its late answer goes nowhere")
    func remoteFirst() throws {
        var (bench, approval) = try asked()
        bench.take(.decided(approval, Self.filledIn))
        #expect(bench.takeAgentLines() == [ACPBench.filledIn(Self.content)])
        #expect(bench.takeEditorLines() == [#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#])
        bench.editor(ACPBench.acted("cancel"))
        #expect(bench.takeAgentLines() == [])
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        #expect(bench.settled.map(\.outcome) == [.ran])
    }

    @Test("declined from afar: the call goes on, and nothing was filled in")
    func declined() throws {
        var (bench, approval) = try asked()
        bench.take(.decided(approval, ACPVerdict(allows: false)))
        #expect(bench.takeAgentLines() == [ACPBench.acted("decline")])
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        #expect(bench.settled.map(\.outcome) == [.refused])
    }

    @Test("the editor first: its answer goes through, and what comes from afar goes nowhere")
    func editorFirst() throws {
        var (bench, approval) = try asked()
        bench.editor(ACPBench.filledIn(#"{"port":1}"#))
        #expect(bench.takeAgentLines() == [ACPBench.filledIn(#"{"port":1}"#)])
        #expect(bench.settled.map(\.outcome) == [.answeredElsewhere] && bench.withdrawn == [approval])
        bench.take(.decided(approval, Self.filledIn))
        #expect(bench.takeAgentLines() == [] && bench.takeEditorLines() == [] && bench.settled.count == 1)
    }

    @Test("an allow fills nothing in, and what is filled in allows nothing: the editor's dialog stands")
    func otherKind() throws {
        var (form, ofForm) = try asked()
        form.take(.decided(ofForm, ACPVerdict(allows: true)))
        #expect(form.takeAgentLines() == [] && form.leftToEditor == ["0"] && form.settled.map(\.outcome) == [.unknown])
        var (bench, approval) = try asked { $0.permission() }
        bench.take(.decided(approval, Self.filledIn))
        #expect(bench.takeAgentLines() == [] && bench.leftToEditor == ["0"])
    }

    @Test("the daemon's answer is read strictly")
    func verdicts() {
        #expect(ACPVerdict(answer: Array(#"{"decision":"answer","content":\#(Self.content)}"#.utf8)) == Self.filledIn)
        for answer in [
            #"{"decision":"answer"}"#, #"{"decision":"answer","content":[]}"#, #"{"decision":"answer","answers":[]}"#,
        ] {
            #expect(ACPVerdict(answer: Array(answer.utf8)) == nil)
        }
    }

    @Test("a turn that the editor cancels takes its form with it, whose own answer is left out")
    func cancelled() throws {
        var (bench, approval) = try asked()
        let cancel = #"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"\#(ACPBench.session)"}}"#
        bench.editor(cancel)
        #expect(bench.takeAgentLines() == [cancel, ACPBench.acted("cancel")])
        bench.editor(ACPBench.acted("cancel"))
        #expect(bench.takeAgentLines() == [] && bench.withdrawn == [approval] && bench.settled.map(\.outcome) == [.cancelled])
    }

    @Test("the agent takes its form back")
    func takenBack() throws {
        var (bench, approval) = try asked()
        bench.agent(#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#)
        #expect(bench.withdrawn == [approval] && bench.settled.map(\.outcome) == [.cancelled])
    }

    @Test("a form that is of no call has no evidence but the turn's end, which says nothing of it")
    func withoutCall() throws {
        var (bench, approval) = try asked { $0.elicitation(scope: #""sessionId":"\#(ACPBench.session)""#) }
        #expect(bench.asked.first?.tool == "Question")
        bench.take(.decided(approval, Self.filledIn))
        bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
        #expect(bench.settled.isEmpty)
        bench.ends("3")
        #expect(bench.settled.map(\.outcome) == [.unknown])
    }

    @Test("a call that is named as the model names it is the one that has not ended, if there is only one")
    func namedOtherwise() throws {
        for isAlone in [true, false] {
            var (bench, approval) = try asked {
                if !isAlone { $0.start(call: "effect-2", input: "{}", title: "another") }
                $0.elicitation(scope: #""sessionId":"\#(ACPBench.session)","toolCallId":"call_1""#)
            }
            bench.take(.decided(approval, Self.filledIn))
            bench.update(#"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"completed"}"#)
            #expect(bench.settled.map(\.outcome) == (isAlone ? [.ran] : []))
            bench.ends("3")
            #expect(bench.settled.map(\.outcome) == [isAlone ? .ran : .unknown])
        }
    }

    @Test(
        "what people afar could not be shown whole is the editor's alone",
        arguments: [
            (#""sessionId":"\#(ACPBench.session)""#, "url", ACPBench.form), (#""requestId":2"#, "form", ACPBench.form),
            (#""sessionId":"other""#, "form", ACPBench.form),
            (
                #""sessionId":"\#(ACPBench.session)""#, "form",
                #"{"type":"object","properties":{"a":{"type":"string","pattern":"^a"}}}"#
            ),
            (#""sessionId":"\#(ACPBench.session)""#, "form", #"{"type":"object","properties":{"a":{"type":"object"}}}"#),
        ])
    func unknown(_ scope: String, _ mode: String, _ form: String) {
        var bench = ACPBench()
        bench.begin()
        bench.elicitation(scope: scope, mode: mode, form: form)
        #expect(bench.asked.isEmpty && bench.leftToEditor == ["0"])
        bench.editor(ACPBench.filledIn("{}"))
        #expect(bench.takeAgentLines().last == ACPBench.filledIn("{}"))
    }

    @Test("a form may leave out that it is an object, as its protocol lets it")
    func typeLeftOut() throws {
        let (bench, _) = try asked { $0.elicitation(form: #"{"properties":{"a":{"type":"boolean"}}}"#) }
        #expect(bench.asked.count == 1)
    }

    @Test("an interrupt from afar dismisses the form that is open, also one that is the editor's alone")
    func interrupted() {
        for mode in ["form", "url"] {
            var bench = ACPBench()
            bench.begin()
            bench.elicitation(mode: mode)
            _ = bench.takeAgentLines()
            _ = bench.takeEditorLines()
            bench.steer("i1", .interrupt)
            #expect(bench.takeAgentLines().last == ACPBench.acted("cancel"))
            #expect(bench.takeEditorLines().last?.contains("$/cancel_request") == true)
            bench.editor(ACPBench.acted("decline"))
            #expect(bench.takeAgentLines() == [])
            bench.ends("3")
            #expect(bench.stages("i1") == [.given, .taken])
        }
    }

    @Test("permissions and forms, answered from both sides in any order: one answer each, and every other byte as it was")
    func chance() throws {
        for seed in UInt64(0)..<200 {
            var chance = SeededDice(seed: seed)
            var bench = ACPBench()
            bench.begin()
            bench.toAgent = []
            var remote: [(ApprovalID, ACPVerdict)] = []
            var local: [String] = []
            let count = Int.random(in: 1...6, using: &chance)
            for id in 0..<count {
                let isForm = Bool.random(using: &chance)
                if isForm { bench.elicitation(id: "\(id)") } else { bench.permission(id: "\(id)") }
                let approval = try #require(bench.asked.last?.approval)
                remote.append((approval, isForm ? Self.filledIn : ACPVerdict(allows: true)))
                local.append(isForm ? ACPBench.acted("decline", id: "\(id)") : ACPBench.selected("reject_once", id: "\(id)"))
            }
            while !remote.isEmpty || !local.isEmpty {
                if Bool.random(using: &chance), let (approval, verdict) = remote.popLast() {
                    bench.take(.decided(approval, verdict))
                }
                if Bool.random(using: &chance), let line = local.popLast() { bench.editor(line) }
            }
            let lines = bench.takeAgentLines()
            for id in 0..<count {
                #expect(lines.count { $0.contains(#""id":\#(id),"#) } == 1, "seed \(seed), question \(id)")
            }
            #expect(lines.count == count, "seed \(seed)")
        }
    }
}
