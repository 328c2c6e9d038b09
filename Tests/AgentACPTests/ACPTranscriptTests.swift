import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

/// Recorded conversations of real agents with an editor, played through the proxy.
@Suite("ACP: recorded conversations")
struct ACPTranscriptTests {
    @Test(
        "every byte arrives as it was",
        arguments: ["vibe-allow", "vibe-deny", "vibe-error", "openhands-allow", "openhands-reject"])
    func verbatim(_ name: String) throws {
        let recorded = try ACPBench.recorded(name)
        for size in [1, 7, 1 << 16] {
            var bench = ACPBench()
            for entry in recorded {
                for start in stride(from: 0, to: entry.line.count, by: size) {
                    let part = Array(entry.line[start..<min(entry.line.count, start + size)])
                    bench.take(entry.isFromEditor ? .fromEditor(part) : .fromAgent(part))
                }
            }
            #expect(bench.toAgent == recorded.filter(\.isFromEditor).flatMap(\.line))
            #expect(bench.toEditor == recorded.filter { !$0.isFromEditor }.flatMap(\.line))
        }
    }

    @Test("Vibe: messages, plan, tools and cost, each once")
    func vibe() throws {
        var bench = ACPBench()
        for entry in try ACPBench.recorded("vibe-allow") { bench.play(entry) }
        bench.take(.agentGone(reason: nil, failed: false))
        #expect(
            bench.told == [
                "session Mistral Vibe proj", "user create out.txt", "status running", "renamed create out.txt",
                "usage 3040 1280", "assistant Plan first.", "started vibe.todo: Writing 2 todos",
                "todo 0/2 Create out.txt", "finished vibe.todo true", "renamed Fake title", "usage 6080 1280",
                "assistant Now run.", "started bash: bash: rm -f zzz; echo hi > out.txt", "finished bash true",
                "usage 9120 1280",
                "usage 12160 1280", "assistant All done.", "usage 12160 1280", "status idle", "ended  false",
            ])
        let usage = bench.events.compactMap { entry -> Usage? in
            if case .usage(let usage) = entry.event.head { usage } else { nil }
        }
        // 4,800 input tokens, of which 4,000 were cached.
        #expect(usage.last?.tokens == Tokens(input: 800, output: 320, cacheRead: 4_000))
        #expect(usage.allSatisfy { $0.run == "run1" && $0.contextLimit == 200_000 })
        #expect(bench.events.allSatisfy { $0.session.rawValue == ACPBench.session })
    }

    @Test("Vibe: the question is for the call that it names, with every option by its name")
    func vibeQuestion() throws {
        var bench = ACPBench()
        for entry in try ACPBench.recorded("vibe-deny") { bench.play(entry) }
        let question = try #require(bench.asked.first)
        #expect(bench.asked.count == 1 && question.tool == "bash")
        #expect(String(decoding: question.input, as: UTF8.self) == #"{"command": "rm -f zzz; echo hi > out.txt"}"#)
        #expect(
            question.options.map(\.name) == ["Allow once", "Allow for remainder of this session", "Always allow", "Deny"])
        #expect(bench.settled.map(\.outcome) == [.answeredElsewhere])
        #expect(bench.withdrawn == [question.approval])
    }

    @Test("Vibe: a turn that is cancelled ends its question, and the agent is answered once")
    func vibeCancel() throws {
        var bench = ACPBench()
        let recorded = try ACPBench.recorded("vibe-cancel")
        for entry in recorded { bench.play(entry) }
        #expect(bench.settled.map(\.outcome) == [.cancelled])
        #expect(
            bench.told.suffix(2) == ["finished bash false", "status idle cancelled"]
                || bench.told.contains("status idle cancelled"))
        let answers = bench.takeAgentLines().filter { $0.contains("outcome") }
        #expect(answers == [#"{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#])
    }

    @Test("OpenHands: no system prompt, its tools, its difference, and what it cost where it says so")
    func openHands() throws {
        var bench = ACPBench()
        for entry in try ACPBench.recorded("openhands-allow") { bench.play(entry) }
        #expect(
            bench.told.filter { !$0.hasPrefix("usage") } == [
                "session OpenHands CLI ACP Agent proj", "user create out.txt", "status running", "thought **Thought**:",
                "started other: other", "finished other false", "thought **Thought**:",
                #"started execute: terminal: {"command": "echo hi > out.txt"}: $ echo hi > out.txt"#, "finished execute true",
                #"started edit: file_editor: {"command": "create", "path": "/home/dev/proj/new.txt", "file_text": "a\nb\n"}: Editing "#
                    + "/home/dev/proj/new.txt",
                "finished edit true", "changed /home/dev/proj/new.txt +2 -0",
                #"assistant Summary: finish: {"message": "All done."}"#, "status idle",
            ])
        let usage = bench.events.compactMap { entry -> Tokens? in
            if case .usage(let usage) = entry.event.head { usage.tokens } else { nil }
        }
        #expect(usage.last == Tokens(input: 800, output: 320, cacheRead: 4_000))
        let exits = bench.events.compactMap { entry -> Int64? in
            if case .toolFinished(let finish) = entry.event.head { finish.exitCode } else { nil }
        }
        #expect(exits == [0])
    }

    @Test("OpenHands: a question that names no call is for the calls that have not ended")
    func openHandsQuestion() throws {
        var bench = ACPBench()
        for entry in try ACPBench.recorded("openhands-reject") { bench.play(entry) }
        #expect(bench.asked.map(\.tool) == ["execute", "edit"])
        #expect(bench.asked[0].title.hasPrefix("terminal: "))
        #expect(String(decoding: bench.asked[0].input, as: UTF8.self).hasPrefix(#"{"command": "echo hi > out.txt""#))
        #expect(Set(bench.asked.map(\.approval)).count == 2)
    }

    @Test(
        "what a command prints is shown while it runs: of Vibe, which tells what is new of it, and by the protocol, all of it")
    func prints() {
        var bench = ACPBench()
        bench.begin()
        func update(_ call: String, _ text: String, status: String = "in_progress", rest: String = "") {
            bench.update(
                #"{"sessionUpdate":"tool_call_update","toolCallId":"\#(call)","status":"\#(status)","kind":"execute"\#(rest),"#
                    + #""content":[{"type":"content","content":{"type":"text","text":"\#(text)"}}]}"#)
        }
        let vibes = #","_meta":{"tool_name":"bash"}"#
        update("effect-1", "one\\n", rest: vibes)
        update("effect-1", "two\\n", rest: vibes)
        update("effect-1", "three\\n", status: "completed", rest: vibes)
        update("effect-1", "late\\n", rest: vibes)
        bench.update(#"{"sessionUpdate":"tool_call","toolCallId":"c2","title":"make","status":"in_progress"}"#)
        update("c2", "one\\n")
        update("c2", "one\\ntwo\\n")
        #expect(
            bench.outputs == ["effect-1: one\n", "effect-1: one\ntwo\n", "c2: one\n", "c2: one\ntwo\n"])
        let output = bench.events.last { $0.event.head.knownKind == .toolFinished }.map {
            String(decoding: $0.event.bytes, as: UTF8.self)
        }
        #expect(output?.contains(#""output":"one\ntwo\nthree\n""#) == true, "all of it in the end")
    }

    @Test("what the editor's terminal shows is seen when the agent asks for it")
    func terminal() {
        var bench = ACPBench()
        bench.begin()
        bench.update(
            #"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","content":[{"type":"terminal","terminalId":"t1"}]}"#)
        func read(_ id: Int, _ terminal: String) {
            bench.agent(
                #"{"jsonrpc":"2.0","id":\#(id),"method":"terminal/output","params":{"sessionId":"\#(ACPBench.session)","#
                    + #""terminalId":"\#(terminal)"}}"#)
        }
        read(70, "t1")
        read(71, "t2")
        bench.editor(#"{"jsonrpc":"2.0","id":71,"result":{"output":"of another\n","truncated":false}}"#)
        bench.editor(#"{"jsonrpc":"2.0","id":70,"result":{"output":"one\ntw","truncated":false}}"#)
        bench.editor(#"{"jsonrpc":"2.0","id":70,"result":{"output":"twice\n","truncated":false}}"#)
        #expect(bench.outputs == ["effect-1: one\ntw"])
    }

    @Test("of what a call prints only the end is kept, from the beginning of a line on")
    func printsMuch() throws {
        var limits = ACPLimits()
        limits.printedBytes = 32
        var bench = ACPBench(limits: limits)
        bench.begin()
        for number in 100..<200 {
            bench.update(
                #"{"sessionUpdate":"tool_call_update","toolCallId":"effect-1","status":"in_progress","kind":"execute","#
                    + #""_meta":{"tool_name":"bash"},"content":[{"type":"content","content":{"type":"text","text":"line \#(number)\n"}}]}"#
            )
        }
        #expect(bench.outputs.last == "effect-1: line 197\nline 198\nline 199\n")
        #expect(bench.outputs.allSatisfy { $0.utf8.count <= 32 + 10 })
    }

    @Test("what a loaded session did before is not told again")
    func load() {
        var bench = ACPBench()
        bench.editor(
            #"{"jsonrpc":"2.0","id":"x","method":"session/load","params":{"sessionId":"\#(ACPBench.session)","cwd":"/p/q"}}"#)
        bench.update(
            #"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"long ago"},"messageId":"m1"}"#)
        bench.update(#"{"sessionUpdate":"tool_call","toolCallId":"c1","title":"old","status":"completed"}"#)
        bench.agent(#"{"jsonrpc":"2.0","id":"x","result":{}}"#)
        #expect(bench.told == ["session agent q"])
        #expect(
            bench.events.first.map { if case .sessionStarted(let facts) = $0.event.head { facts.isResumed } else { false } }
                == true)
    }

    @Test("an answer that is an error ends the turn and is told")
    func failure() {
        var bench = ACPBench()
        bench.begin()
        bench.agent(#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Internal error"}}"#)
        #expect(bench.told.suffix(3) == ["finished bash false", "error Internal error", "status idle"])
    }

    @Test("an agent that is gone ends its sessions and its questions")
    func gone() {
        var bench = ACPBench()
        bench.begin()
        bench.permission()
        bench.take(.agentGone(reason: "ended by signal 9", failed: true))
        #expect(bench.told.suffix(2) == ["finished bash false", "ended ended by signal 9 true"])
        #expect(bench.settled.map(\.outcome) == [.cancelled] && bench.withdrawn.count == 1)
    }

    @Test("what is not JSON, or too long, goes through all the same")
    func noise() {
        var limits = ACPLimits()
        limits.lineBytes = 64
        var bench = ACPBench(limits: limits)
        let noise = "\n\r\n{\"\u{0}\n[1,2]\n" + String(repeating: "x", count: 300) + "\n{}\nlast"
        bench.take(.fromAgent(Array(noise.utf8)))
        bench.take(.agentClosed)
        bench.take(.fromEditor(Array(noise.utf8) + [0xFF, 0xFE]))
        bench.take(.editorClosed)
        #expect(bench.toEditor == Array(noise.utf8))
        #expect(bench.toAgent == Array(noise.utf8) + [0xFF, 0xFE])
        #expect(bench.events.isEmpty)
    }

    @Test("an update with half an emoji in it is told, and nobody is asked about such a call")
    func inexact() {
        var bench = ACPBench()
        bench.begin(input: #"{"command":"echo \ud83d"}"#)
        #expect(bench.told.last == "started bash: bash: rm -rf build")
        bench.permission()
        #expect(bench.asked.isEmpty)
    }
}
