import HostCore
import RelayProtocol
import Testing

@testable import AgentLocal

@Suite("An MCP server whose tools ask a person")
struct MCPMachineTests {
    // MARK: - Versions

    @Test("the client's version is spoken if it is known, else the newest that begins so")
    func versions() {
        for (asked, spoken) in [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2031-01-01", "2025-11-25")] {
            var bench = MCPBench()
            bench.receive(#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(asked)"}}"#)
            #expect(bench.take()[0].hasPrefix(#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"\#(spoken)","#))
        }
    }

    @Test("a stateless client is told what is spoken, also if its version is not")
    func stateless() {
        var bench = MCPBench()
        bench.receive(MCPBench.stateless(#""method":"server/discover""#, "{}"))
        #expect(bench.take()[0].contains(#""resultType":"complete","supportedVersions":["2026-07-28"]"#))
        bench.receive(MCPBench.stateless(#""method":"tools/list""#, "{}", version: "2031-01-01"))
        #expect(
            bench.take() == [
                #"{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"this version is not spoken here","data":{"supported":["2026-07-28"],"requested":"2031-01-01"}}}"#
            ])
    }

    @Test("what is no request is refused with its place, and ends nothing")
    func refusals() {
        var bench = MCPBench()
        for (line, code) in [
            ("{", -32_700), ("[]", -32_600), ("[7]", -32_600), (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32_601),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm","arguments":{}}}"#, -32_602),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#, -32_602),
        ] {
            bench.receive(line)
            #expect(bench.take()[0].contains(#""error":{"code":\#(code),"#), "\(line)")
        }
        bench.tell(.receivedTooMuch)
        #expect(bench.take()[0].contains(#""id":null,"error":{"code":-32600,"#))
        bench.receive(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        #expect(bench.take() == [#"{"jsonrpc":"2.0","id":1,"result":{}}"#])
    }

    // MARK: - Approvals

    @Test("each message of a batch is answered by itself")
    func batch() {
        var bench = MCPBench(greeted: true)
        bench.receive(
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"no"}]"#
        )
        let said = bench.take()
        #expect(said.count == 2 && said[0].contains(#""id":1,"result":{}"#) && said[1].contains(#""id":2,"error""#), "\(said)")
    }

    @Test("an action is allowed for exactly the bytes of its input")
    func allow() {
        var bench = MCPBench(greeted: true)
        bench.call("approve", #"{"tool_name":"Deploy","input":{"n": 1.0, "to":"production"},"tool_use_id":"t1"}"#)
        #expect(
            bench.take() == [
                #"events {"session":"s","kind":"session.started","head":{"agent":{"name":"tester","version":"3"},"cwd":"/work"}}"#,
                #"{"session":"s","kind":"status.changed","head":{"status":"running"}}"#,
                #"ask 1 {"session":"s","agent":"tester","approval":"t1","kind":"tool","waitSeconds":60,"tool":"Deploy","input":{"n": 1.0, "to":"production"}}"#,
            ])
        bench.reply(1, .done(Array(#"{"decision":"allow"}"#.utf8)))
        #expect(
            bench.take() == [
                #"5: {"behavior":"allow","updatedInput":{"n": 1.0, "to":"production"}}"#
            ])
    }

    @Test("a denial says why, and is settled")
    func deny() {
        var bench = MCPBench(greeted: true)
        bench.call("approve", #"{"tool_name":"Deploy","input":{}}"#)
        _ = bench.take()
        bench.reply(1, .done(Array(#"{"decision":"deny","message":"not today"}"#.utf8)))
        #expect(
            bench.take() == [
                #"5: {"behavior":"deny","message":"not today"}"#,
                #"settled {"session":"s","approval":"call-1","outcome":"refused"}"#,
            ])
    }

    @Test(
        "whatever else the daemon replies is a denial and an error",
        arguments: [
            MCPMachine.Reply.undecided, .unreachable, .refused("$.input: no"), .done([]), .done(Array("{}".utf8)),
            .done(Array(#"{"decision":"allowed"}"#.utf8)), .done(Array(#"{"decision":"answer","answers":[]}"#.utf8)),
        ])
    func nothingElseAllows(reply: MCPMachine.Reply) {
        var bench = MCPBench(greeted: true)
        bench.call("approve", #"{"tool_name":"Deploy","input":{}}"#)
        _ = bench.take()
        bench.reply(1, reply)
        let lines = bench.take()
        #expect(
            lines.count == 1 && lines[0].hasPrefix(#"5, an error: {"behavior":"deny","message":"Not allowed: "#), "\(lines)")
    }

    // MARK: - Questions

    @Test("a question is answered with a choice, or in a person's own words")
    func ask() {
        var bench = MCPBench(greeted: true)
        let question = #"{"question":"Which?","choices":["Red",{"label":"Blue","description":"Like the sky"}]}"#
        bench.call("ask", question)
        #expect(
            bench.take().last
                == #"ask 1 {"session":"s","agent":"tester","approval":"call-1","kind":"question","waitSeconds":60,"questions":[{"id":"answer","text":"Which?","choices":[{"label":"Red"},{"label":"Blue","description":"Like the sky"}]}]}"#
        )
        bench.reply(
            1, .done(Array(#"{"decision":"answer","answers":[{"question":"answer","choices":["Blue"],"indexes":[1]}]}"#.utf8)))
        #expect(bench.take() == ["5: Blue", #"settled {"session":"s","approval":"call-1","outcome":"ran"}"#])
        bench.call("ask", question)
        _ = bench.take()
        bench.reply(
            2, .done(Array(#"{"decision":"answer","answers":[{"question":"answer","choices":[],"text":"Green"}]}"#.utf8)))
        #expect(bench.take()[0] == "5: Green")
    }

    @Test("arguments that are not right are named")
    func badArguments() {
        var bench = MCPBench(greeted: true)
        for (tool, arguments, place) in [
            ("ask", "{}", "$.params.arguments.question"),
            ("ask", #"{"question":"a","choicesOnly":true}"#, "$.params.arguments.choices"),
            ("ask", #"{"question":"a","choices":["b","b"]}"#, "$.params.arguments.choices"),
            ("ask", #"{"question":"a","chioces":["b"]}"#, "$.params.arguments.chioces"),
            ("approve", #"{"tool_name":"a","input":[]}"#, "$.params.arguments.input"),
            ("notify", #"{"message":"a","level":"loud"}"#, "$.params.arguments.level"),
            ("progress", #"{"completed":2,"total":1}"#, "$.params.arguments.completed"),
        ] {
            bench.call(tool, arguments)
            let lines = bench.take()
            #expect(lines.count == 1 && lines[0].contains(place) && lines[0].contains("an error"), "\(lines)")
        }
    }

    @Test("a cancelled call takes its question back, and is not answered")
    func cancel() {
        var bench = MCPBench(greeted: true)
        bench.call("ask", #"{"question":"Which?"}"#)
        _ = bench.take()
        bench.receive(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#)
        #expect(bench.take() == ["withdraw 1"])
        bench.reply(
            1, .done(Array(#"{"decision":"answer","answers":[{"question":"answer","choices":[],"text":"Late"}]}"#.utf8)))
        #expect(bench.take() == [])
    }

    @Test("a client that wants progress gets it as long as its call waits")
    func progress() {
        var bench = MCPBench(greeted: true)
        bench.call("ask", #"{"question":"Which?"}"#, meta: #""progressToken":"p""#)
        #expect(
            bench.take().last
                == #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"message":"A person is asked"}}"#
        )
        bench.pass(.seconds(9))
        #expect(bench.take() == [])
        bench.pass(.seconds(1))
        #expect(
            bench.take() == [
                #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2,"message":"Waiting for a person for 10 seconds"}}"#
            ])
        bench.reply(1, .refused("no"))
        _ = bench.take()
        #expect(bench.machine.nextDeadline == nil)
    }

    @Test("calls beyond the limit end at once")
    func tooMany() {
        var limits = MCPLimits()
        limits.callsMax = 1
        var bench = MCPBench(greeted: true, limits: limits)
        bench.call("ask", #"{"question":"Which?"}"#)
        _ = bench.take()
        bench.call("approve", #"{"tool_name":"a","input":{}}"#, id: 6)
        #expect(bench.take() == [#"6, an error: {"behavior":"deny","message":"Not allowed: 1 calls wait already"}"#])
    }

    @Test("messages and progress are shown, or an error says why not")
    func notices() {
        var bench = MCPBench(greeted: true)
        bench.call("notify", #"{"message":"Built\nin 3 s"}"#)
        #expect(
            bench.take().last
                == #"events for 1 {"session":"s","kind":"message","head":{"role":"assistant"},"body":{"text":"Built\nin 3 s"}}"#
        )
        bench.reply(1, .done([]))
        #expect(bench.take() == ["5: Recorded: people see it as soon as this machine's relay has it."])
        bench.call("progress", #"{"completed":1,"total":3,"current":"Tests"}"#)
        #expect(
            bench.take() == [
                #"events for 2 {"session":"s","kind":"todo.changed","head":{"completed":1,"total":3,"current":"Tests"}}"#
            ])
        bench.reply(2, .unreachable)
        #expect(bench.take() == ["5, an error: Not shown: no host daemon answers; is `heliograph host` running?"])
        bench.tell(.closed)
        #expect(bench.take() == [#"events {"session":"s","kind":"session.ended","head":{}}"#])
    }

    // MARK: - The client's own form

    @Test(
        "without a daemon the client's form asks, and only an accepted allow is one",
        arguments: [
            (#""result":{"action":"accept","content":{"answer":"allow"}}"#, #"5: {"behavior":"allow","updatedInput":{"a":1}}"#),
            (
                #""result":{"action":"accept","content":{"answer":"deny"}}"#,
                #"5: {"behavior":"deny","message":"A person has denied this."}"#
            ),
            (#""result":{"action":"accept","content":{}}"#, #"5: {"behavior":"deny","message":"A person has denied this."}"#),
            (#""result":{"action":"decline"}"#, #"5: {"behavior":"deny","message":"A person has denied this."}"#),
            (
                #""result":{"action":"cancel"}"#,
                #"5, an error: {"behavior":"deny","message":"Not allowed: nobody can be reached from afar, and the form here was not answered"}"#
            ),
            (
                #""error":{"code":-32601,"message":"no"}"#,
                #"5, an error: {"behavior":"deny","message":"Not allowed: nobody can be reached from afar, and the form here was not answered"}"#
            ),
        ])
    func form(answer: String, said: String) {
        var bench = MCPBench(greeted: true, capabilities: #"{"elicitation":{}}"#)
        bench.call("approve", #"{"tool_name":"Deploy","input":{"a":1}}"#)
        _ = bench.take()
        bench.reply(1, .unreachable)
        #expect(
            bench.take() == [
                #"{"jsonrpc":"2.0","id":"form-1","method":"elicitation/create","params":{"mode":"form","message":"Allow Deploy with exactly this input?\n{\"a\":1}","requestedSchema":{"type":"object","properties":{"answer":{"type":"string","title":"Answer","enum":["deny","allow"]}},"required":["answer"]}}}"#
            ])
        bench.receive(#"{"jsonrpc":"2.0","id":"form-1",\#(answer)}"#)
        #expect(bench.take() == [said])
    }

    @Test("an input that a form might not show whole is not decided there")
    func longForm() {
        var bench = MCPBench(greeted: true, capabilities: #"{"elicitation":{}}"#)
        for input in [#"{"a":"\#(String(repeating: "x", count: 4_096))"}"#, #"{"a":"\#u{5E9}"}"#] {
            bench.call("approve", #"{"tool_name":"Deploy","input":\#(input)}"#)
            _ = bench.take()
            bench.reply(bench.calls, .unreachable)
            #expect(bench.take().first?.hasPrefix("5, an error: ") == true)
        }
    }

    @Test("time that is up is no reason for a form")
    func timedOut() {
        var bench = MCPBench(greeted: true, capabilities: #"{"elicitation":{}}"#)
        bench.call("ask", #"{"question":"Which?"}"#)
        _ = bench.take()
        bench.pass(.seconds(60))
        bench.reply(1, .undecided)
        #expect(bench.take() == ["5, an error: No answer: nobody decided within 60 seconds"])
    }

    @Test("a stateless client brings its form back with the same call, and with no other")
    func statelessForm() {
        var bench = MCPBench()
        let call = #""name":"approve","arguments":{"tool_name":"Deploy","input":{"to":"test"}}"#
        bench.receive(MCPBench.stateless(#""method":"tools/call""#, "{\(call)}"))
        _ = bench.take()
        bench.reply(1, .unreachable)
        let asked = bench.take()[0]
        #expect(asked.contains(#""resultType":"input_required","inputRequests":{"person":{"method":"elicitation/create","#))
        #expect(asked.contains(#""requestState":"form-1""#))
        let form = #""requestState":"form-1","inputResponses":{"person":{"action":"accept","content":{"answer":"allow"}}}"#
        let other = call.replacing("test", with: "production")
        bench.receive(MCPBench.stateless(#""method":"tools/call""#, "{\(other),\(form)}"))
        #expect(bench.take().allSatisfy { $0.hasPrefix("ask 2 ") }, "people are asked about that")
        bench.receive(MCPBench.stateless(#""method":"tools/call""#, "{\(call),\(form)}", id: 8))
        #expect(bench.take() == [#"8: {"behavior":"allow","updatedInput":{"to":"test"}}"#])
        bench.receive(MCPBench.stateless(#""method":"tools/call""#, "{\(call),\(form)}", id: 9))
        #expect(bench.take().allSatisfy { $0.hasPrefix("ask 3 ") }, "it counts once")
    }
}
