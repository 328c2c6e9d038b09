import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

@Suite("ACP: interrupts and modes from afar")
struct ACPInterruptTests {
    private func running() -> ACPBench {
        var bench = ACPBench()
        bench.open(ACPBench.vibeModes + "," + ACPBench.vibeOptions)
        bench.editor(ACPBench.prompt("3", "hi"))
        _ = bench.takeAgentLines()
        return bench
    }

    @Test("an interrupt ends the editor's turn, by the agent's own word")
    func interrupt() {
        var bench = running()
        bench.steer("i1", .interrupt)
        #expect(bench.takeAgentLines() == [ACPBench.cancel] && bench.stages("i1") == [.given])
        bench.ends("3", "cancelled")
        #expect(bench.takeEditorLines() == [ACPBench.cancelled("3")] && bench.stages("i1") == [.given, .taken])
        bench.steer("i2", .interrupt)
        #expect(bench.stages("i2") == [.refused] && bench.takeAgentLines() == [])
    }

    @Test("and ours; a turn that comes to its own end was not interrupted")
    func ownTurn() {
        var bench = ACPBench()
        bench.open()
        for (command, reason, stage) in [("1", "cancelled", SteeringStage.taken), ("2", "end_turn", .refused)] {
            bench.prompt("p" + command, "work")
            bench.echoes("work")
            bench.steer("i" + command, .interrupt)
            bench.ends(ACPBench.own(Int(command)!), reason)
            #expect(bench.stages("i" + command) == [.given, stage] && bench.stages("p" + command) == [.given, .taken])
        }
    }

    @Test("with a question open the agent is answered that it is cancelled, and the editor's late answer goes nowhere")
    func question() throws {
        var bench = running()
        bench.start(call: "effect-1", input: #"{"command":"rm"}"#, title: "bash: rm")
        bench.permission()
        // A permission that only the editor may answer is ended in the same way.
        bench.permission(id: "\"x\"", options: "[]")
        _ = bench.takeEditorLines()
        bench.steer("i1", .interrupt)
        let cancelled = ["0", "\"x\""].map { #"{"jsonrpc":"2.0","id":\#($0),"result":{"outcome":{"outcome":"cancelled"}}}"# }
        #expect(bench.takeAgentLines() == [ACPBench.cancel] + cancelled)
        #expect(
            bench.takeEditorLines()
                == ["0", "\"x\""].map { #"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":\#($0)}}"# })
        #expect(bench.settled.map(\.outcome) == [.cancelled] && bench.withdrawn == bench.asked.map(\.approval))
        for id in ["\"x\"", "0"] { bench.editor(ACPBench.selected("allow_once", id: id)) }
        bench.take(.decided(try #require(bench.asked.first?.approval), ACPVerdict(allows: true)))
        #expect(bench.takeAgentLines() == [])
        bench.ends("3", "cancelled")
        #expect(bench.stages("i1") == [.given, .taken] && bench.standing == .idle)
    }

    @Test("an agent that ends its turn once its question was cancelled was interrupted, whatever it calls that")
    func questionAndOwnEnd() {
        for (isAtWork, stage) in [(false, SteeringStage.taken), (true, .refused)] {
            var bench = running()
            bench.start(call: "effect-1", input: #"{"command":"rm"}"#, title: "bash: rm")
            bench.permission()
            bench.steer("i1", .interrupt)
            if isAtWork { bench.says("I go on.") }
            bench.ends("3")
            #expect(bench.stages("i1") == [.given, stage])
        }
    }

    @Test("interrupts that the agent does not answer are bounded")
    func bounds() {
        var bench = running()
        for number in 0..<20 { bench.steer("i\(number)", .interrupt) }
        #expect(bench.takeAgentLines().count == ACPLimits().openCommandsMax)
        bench.take(.agentGone(reason: nil, failed: true))
        #expect(bench.stages("i0") == [.given, .unknown] && bench.stages("i19") == [.refused])
    }

    // MARK: Modes

    @Test("the modes are the agent's own, and its answer says which it is in; the editor is told, too")
    func modeByOption() {
        var bench = ACPBench()
        bench.open(ACPBench.vibeModes + "," + ACPBench.vibeOptions)
        let offer = bench.stands.last?.stand?.offer
        #expect(
            offer?.modes == ["ask", "accept-edits"] && offer?.mode == "ask"
                && offer?.actions == [.prompt, .interrupt, .mode, .model])
        bench.steer("m1", .mode("accept-edits"))
        #expect(
            bench.takeAgentLines() == [
                #"{"jsonrpc":"2.0","id":\#(ACPBench.own(1)),"method":"session/set_config_option","params":{"sessionId":"\#(ACPBench.session)","#
                    + #""configId":"mode","value":"accept-edits"}}"#
            ])
        bench.agent(
            #"{"jsonrpc":"2.0","id":\#(ACPBench.own(1)),"result":{"configOptions":\#(ACPBench.options(mode: "accept-edits"))}}"#
        )
        #expect(bench.stages("m1") == [.given, .taken] && bench.stands.last?.stand?.offer.mode == "accept-edits")
        let seen = bench.takeEditorLines()
        #expect(seen.count == 2 && seen[0].contains("config_option_update"))
        #expect(seen[1].contains(#""update":{"sessionUpdate":"current_mode_update","currentModeId":"accept-edits"}"#))
        bench.steer("m2", .mode("ask"))
        bench.agent(
            #"{"jsonrpc":"2.0","id":\#(ACPBench.own(2)),"result":{"configOptions":\#(ACPBench.options(mode: "accept-edits"))}}"#
        )
        bench.steer("m3", .mode("ask"))
        bench.agent(#"{"jsonrpc":"2.0","id":\#(ACPBench.own(3)),"error":{"code":-32600,"message":"no"}}"#)
        #expect(bench.stages("m2") == [.given, .refused] && bench.stages("m3") == [.given, .refused])
    }

    @Test("the models are the agent's own, and its answer says which it has")
    func model() {
        var bench = ACPBench()
        bench.open(ACPBench.vibeModes + "," + ACPBench.vibeOptions)
        #expect(bench.stands.last?.stand?.offer.models == ["fake", "other"])
        bench.steer("m1", .model("other"))
        #expect(bench.takeAgentLines().first?.contains(#""configId":"model","value":"other""#) == true)
        bench.agent(
            #"{"jsonrpc":"2.0","id":\#(ACPBench.own(1)),"result":{"configOptions":\#(ACPBench.options(model: "other"))}}"#)
        let seen = bench.takeEditorLines()
        #expect(bench.stages("m1") == [.given, .taken] && seen.count == 1 && seen[0].contains("config_option_update"))
        bench.steer("m2", .model("fake"))
        bench.agent(
            #"{"jsonrpc":"2.0","id":\#(ACPBench.own(2)),"result":{"configOptions":\#(ACPBench.options(model: "other"))}}"#)
        #expect(bench.stages("m2") == [.given, .refused] && bench.reason("m2") == "the agent has another model after that")
        bench.steer("m3", .model("nosuch"))
        #expect(bench.stages("m3") == [.refused] && bench.reason("m3") == "that model is not offered")
        var bare = ACPBench()
        bare.open(ACPBench.vibeModes)
        bare.steer("m1", .model("fake"))
        #expect(bare.stages("m1") == [.refused] && bare.stands.last?.stand?.offer.actions == [.prompt, .interrupt, .mode])
    }

    @Test("without such an option by the list of modes; an answer that says nothing leaves it unknown")
    func modeByList() {
        var bench = ACPBench()
        bench.open(ACPBench.vibeModes)
        bench.steer("m1", .mode("accept-edits"))
        #expect(bench.takeAgentLines().first?.contains(#""method":"session/set_mode""#) == true)
        bench.agent(#"{"jsonrpc":"2.0","id":\#(ACPBench.own(1)),"result":{}}"#)
        #expect(bench.stages("m1") == [.given, .taken] && bench.takeEditorLines().count == 1)
        bench.steer("m2", .mode("ask"))
        bench.agent(#"{"jsonrpc":"2.0","id":\#(ACPBench.own(2)),"result":null}"#)
        #expect(bench.stages("m2") == [.given, .unknown] && bench.stands.last?.stand?.offer.mode == "accept-edits")
    }

    @Test(
        "a mode that asks nobody is not offered to clients, by whichever list it comes, and is told where it is chosen elsewhere"
    )
    func lawless() {
        for key in ["modes", "options"] {
            var bench = ACPBench()
            let list = [("ask", "Ask"), ("auto-approve", "Auto Approve"), ("m3", "Bypass permissions"), ("code", "Code")].map {
                #"{"\#(key == "modes" ? "id" : "value")":"\#($0.0)","name":"\#($0.1)"}"#
            }.joined(separator: ",")
            bench.open(
                key == "modes"
                    ? #""modes":{"currentModeId":"auto-approve","availableModes":[\#(list)]}"#
                    : #""configOptions":[{"id":"mode","category":"mode","type":"select","currentValue":"auto-approve","options":[\#(list)]}]"#
            )
            let offer = bench.stands.last?.stand?.offer
            #expect(offer?.modes == ["ask", "code"] && offer?.mode == "auto-approve")
            bench.steer("m1", .mode("auto-approve"))
            #expect(bench.stages("m1") == [.refused] && bench.takeAgentLines() == [])
        }
    }

    @Test("no mode is invented, and none is offered where the agent lists none")
    func unlisted() {
        var bench = ACPBench()
        bench.open(ACPBench.vibeModes)
        bench.steer("m1", .mode("bypass"))
        #expect(bench.stages("m1") == [.refused] && bench.takeAgentLines() == [])
        var bare = ACPBench()
        bare.open()
        bare.steer("m1", .mode("ask"))
        #expect(bare.stages("m1") == [.refused] && bare.stands.last?.stand?.offer.modes == [])
    }

    @Test("a mode that is changed at the editor, or by the agent, is told")
    func modeElsewhere() {
        var bench = ACPBench()
        bench.open(ACPBench.vibeModes)
        bench.editor(
            #"{"jsonrpc":"2.0","id":7,"method":"session/set_mode","params":{"sessionId":"\#(ACPBench.session)","modeId":"accept-edits"}}"#
        )
        #expect(bench.stands.last?.stand?.offer.mode == "ask")
        bench.agent(#"{"jsonrpc":"2.0","id":7,"result":{}}"#)
        #expect(bench.stands.last?.stand?.offer.mode == "accept-edits")
        bench.update(#"{"sessionUpdate":"current_mode_update","currentModeId":"ask"}"#)
        #expect(bench.stands.last?.stand?.offer.mode == "ask")
        bench.update(#"{"sessionUpdate":"config_option_update","configOptions":\#(ACPBench.options(mode: "accept-edits"))}"#)
        #expect(bench.stands.last?.stand?.offer.mode == "accept-edits")
    }
}
