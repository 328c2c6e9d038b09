import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

/// The agent without an editor.
@Suite("ACP: the client")
struct ACPClientTests {
    private struct Talk {
        var client: ACPClientMachine
        var sent: [String] = []
        var shown = ""
        var failed: Bool?

        mutating func take(_ fact: ACPClientMachine.Fact) {
            for order in client.handle(fact) {
                switch order {
                case .send(let line): sent.append(String(decoding: line.dropLast(), as: UTF8.self))
                case .show(let text): shown += text
                case .finished(let failed): self.failed = failed
                }
            }
        }

        mutating func agent(_ line: String) { take(.received(Array((line + "\n").utf8))) }

        mutating func permission(id: String = "0") {
            agent(
                #"{"jsonrpc":"2.0","id":\#(id),"method":"session/request_permission","params":{"sessionId":"s","#
                    + #""toolCall":{"toolCallId":"c1","title":"rm"},"options":\#(ACPBench.options)}}"#)
        }
    }

    private func open(prompt: String? = nil, hasTerminal: Bool) -> Talk {
        var talk = Talk(
            client: ACPClientMachine(directory: "/p", version: "1", prompt: prompt, hasTerminal: hasTerminal))
        talk.take(.started)
        talk.agent(#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#)
        talk.agent(#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#)
        return talk
    }

    private func question(request: String = "0") -> ACPQuestion {
        ACPQuestion(
            session: SessionID("s")!, approval: ApprovalID("a")!, request: Array(request.utf8), tool: "bash", title: "rm",
            input: Array(#"{"command":"rm"}"#.utf8), options: [])
    }

    @Test("one prompt: a session in the folder, the prompt, the words, the end")
    func prompt() {
        var talk = open(prompt: "do it", hasTerminal: false)
        #expect(talk.sent.count == 3 && talk.sent[1].contains(#""cwd":"/p""#))
        #expect(talk.sent[2].contains(#""method":"session/prompt""#) && talk.sent[2].contains(#""text":"do it""#))
        talk.agent(
            #"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","#
                + #""content":{"type":"text","text":"Done\u001b[2J"}}}}"#)
        #expect(talk.shown == "Done⟨U+001B⟩[2J")
        talk.agent(#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#)
        #expect(talk.failed == false)
    }

    @Test("a turn that was refused or cut short has failed", arguments: ["refusal", "max_tokens", "cancelled"])
    func stopped(_ reason: String) {
        var talk = open(prompt: "do it", hasTerminal: false)
        talk.agent(#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"\#(reason)"}}"#)
        #expect(talk.failed == true && talk.shown.contains(reason))
    }

    @Test("without a terminal, what nobody afar decides is denied")
    func headless() {
        var talk = open(prompt: "do it", hasTerminal: false)
        talk.permission()
        talk.take(.asked(question()))
        #expect(talk.sent.count == 3)
        talk.take(.leftToUs(Array("0".utf8)))
        #expect(talk.sent.last == ACPBench.selected("reject_once"))
    }

    private func form(_ talk: inout Talk) {
        talk.agent(
            #"{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which port?","#
                + #""requestedSchema":\#(ACPBench.form)}}"#)
    }

    @Test("it says that it shows forms, and at a terminal fills them in field by field")
    func forms() {
        var talk = open(hasTerminal: true)
        #expect(talk.sent[0].contains(#""elicitation":{"form":{}}"#))
        talk.take(.typed("go"))
        form(&talk)
        talk.take(.leftToUs(Array("0".utf8)))
        #expect(talk.shown.contains("Which port? · port (a whole number, 99 or less)") && talk.shown.contains("  2  Decline"))
        let before = talk.sent.count
        for wrong in ["1", "1 100", "7", "2 no"] { talk.take(.typed(wrong)) }
        #expect(talk.sent.count == before)
        talk.take(.typed("1 80"))
        #expect(talk.shown.contains("sure (may be left out)") && talk.sent.count == before)
        // The entries are numbered anew: there is no number 2 any more.
        talk.take(.typed("2"))
        #expect(talk.sent.count == before)
        talk.take(.typed("3"))
        #expect(talk.sent.last == ACPBench.filledIn(#"{"port":80,"sure":true}"#))
    }

    @Test("a form is declined, or dismissed where nobody can answer it")
    func formsRefused() {
        var talk = open(hasTerminal: true)
        talk.take(.typed("go"))
        form(&talk)
        talk.take(.leftToUs(Array("0".utf8)))
        talk.take(.typed("2"))
        #expect(talk.sent.last == ACPBench.acted("decline"))
        talk = open(prompt: "do it", hasTerminal: false)
        form(&talk)
        talk.take(.leftToUs(Array("0".utf8)))
        #expect(talk.sent.last == ACPBench.acted("cancel") && talk.shown.contains("nobody was there"))
        talk.agent(
            #"{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"sessionId":"s","mode":"url","url":"https://a","message":"b"}}"#
        )
        #expect(talk.sent.last == ACPBench.acted("cancel", id: "4"))
    }

    @Test("no number means two things in a turn: what is typed for one question never answers another")
    func numbers() {
        var talk = open(hasTerminal: true)
        talk.take(.typed("go"))
        for id in ["7", "8"] {
            talk.permission(id: id)
            talk.take(.leftToUs(Array(id.utf8)))
        }
        let before = talk.sent.count
        for wrong in ["0", "9", "-9223372036854775808", "9223372036854775807"] { talk.take(.typed(wrong)) }
        #expect(talk.sent.count == before)
        talk.take(.typed("5"))
        #expect(talk.sent.last?.contains(#""id":8"#) == true && talk.sent.last?.contains("allow_once") == true)
        talk.take(.typed("5"))
        #expect(talk.sent.count == before + 1)
        talk.take(.typed("4"))
        #expect(talk.sent.last?.contains(#""id":7"#) == true && talk.sent.last?.contains("reject_once") == true)
    }

    @Test("at a terminal a number answers, and only one that was shown")
    func terminal() {
        var talk = open(hasTerminal: true)
        talk.take(.typed("go"))
        talk.permission()
        talk.take(.asked(question()))
        #expect(talk.shown.contains(#"{"command":"rm"}"#) && talk.shown.contains("  4  Deny"))
        for wrong in ["", "0", "5", "y", "1 2"] { talk.take(.typed(wrong)) }
        #expect(talk.sent.count == 3)
        talk.take(.typed(" 4 "))
        #expect(talk.sent.last == ACPBench.selected("reject_once"))
    }

    @Test("what is decided from afar is no longer asked at the terminal")
    func remote() {
        var talk = open(hasTerminal: true)
        talk.take(.typed("go"))
        talk.permission()
        talk.take(.asked(question()))
        talk.agent(#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#)
        talk.take(.typed("1"))
        #expect(talk.sent.count == 3 && talk.shown.contains("Decided by a client."))
    }

    @Test("a permission that cannot be read strictly is cancelled, and other requests are refused")
    func unreadable() {
        var talk = open(prompt: "do it", hasTerminal: false)
        talk.agent(#"{"id":7,"method":"session/request_permission","params":{"sessionId":"\ud800"}}"#)
        #expect(talk.sent.last?.contains(#""outcome":"cancelled""#) == true)
        talk.agent(#"{"id":8,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}"#)
        #expect(talk.sent.last?.contains("-32601") == true)
    }

    @Test("an agent that opens no session ends it")
    func noSession() {
        var talk = Talk(client: ACPClientMachine(directory: "/p", version: "1", prompt: nil, hasTerminal: true))
        talk.take(.started)
        talk.agent(#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
        talk.agent(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}"#)
        #expect(talk.failed == true && talk.shown.contains("Authentication required"))
    }

    @Test("what is typed while the agent is at work waits, also for a prompt from afar; a number is never taken for a prompt")
    func queue() {
        var talk = open(hasTerminal: true)
        talk.take(.typed("first"))
        for line in ["second", "2", "third"] { talk.take(.typed(line)) }
        #expect(talk.sent.count == 3 && talk.shown.contains("This waits until the agent is done."))
        for (id, text) in [(3, "second"), (4, "third")] {
            talk.agent(#"{"jsonrpc":"2.0","id":\#(id),"result":{"stopReason":"end_turn"}}"#)
            #expect(talk.sent.count == id + 1 && talk.sent.last?.contains(#""text":"\#(text)""#) == true)
        }
        talk.agent(#"{"jsonrpc":"2.0","id":5,"result":{"stopReason":"end_turn"}}"#)
        talk.take(.turnFromAfarBegan("go on\u{1B}[2J"))
        #expect(talk.shown.contains("From a client: go on⟨U+001B⟩[2J"))
        talk.permission()
        talk.take(.leftToUs(Array("0".utf8)))
        talk.take(.typed("4"))
        #expect(talk.sent.last == ACPBench.selected("reject_once"))
        talk.take(.typed("4"))
        talk.take(.typed("fourth"))
        #expect(talk.sent.count == 6)
        talk.take(.turnFromAfarEnded)
        #expect(talk.sent.count == 7 && talk.sent.last?.contains(#""text":"fourth""#) == true)
    }

    @Test("ended from afar it says so, and its end is no failure")
    func endedFromAfar() {
        var talk = open(hasTerminal: true)
        talk.take(.typed("first"))
        talk.permission()
        talk.take(.endedFromAfar)
        #expect(talk.shown.hasSuffix("Ended by a client.\n") && talk.failed == false)
        talk.take(.typed("second"))
        #expect(talk.sent.count == 3)
    }

    @Test("what is typed meanwhile is bounded")
    func queueBound() {
        var talk = open(hasTerminal: true)
        for number in 0...20 { talk.take(.typed("line \(number)")) }
        #expect(
            talk.shown.split(separator: "\n").count { $0.contains("This waits") } == 16
                && talk.shown.contains("Too many lines wait already"))
    }
}
