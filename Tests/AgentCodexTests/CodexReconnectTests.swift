import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

/// Connections, servers and daemons are lost and return; a question stays one question.
@Suite("Codex: connections that break")
struct CodexReconnectTests {
    private static let waiting = #"{"type":"active","activeFlags":["waitingOnApproval"]}"#

    private static func asked() -> CodexBench {
        var bench = CodexBench.attached()
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread, status: waiting)
        bench.turns[CodexBench.thread] = #"{"id":"t1","status":"inProgress","items":[]}"#
        bench.turnStarts()
        bench.status("waitingOnApproval")
        bench.askCommand()
        _ = bench.take()
        return bench
    }

    @Test("a turn that ended while nobody was connected is read once more, for its tokens")
    func endedMeanwhile() throws {
        var bench = CodexBench()
        bench.loaded = [CodexBench.thread]
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread)
        bench.turns[CodexBench.thread] =
            #"{"id":"t1","status":"completed","completedAt":\#(bench.now.wall / 1_000),"items":[]}"#
        bench.tell(.own(.connected))
        #expect(
            bench.asked.filter { $0.method == "thread/resume" }.map(\.params).last == #"{"threadId":"\#(CodexBench.thread)"}"#)
        let count = bench.asked.count
        bench.tell(.own(.disconnected))
        bench.tell(.own(.connected))
        #expect(bench.asked.dropFirst(count).filter { $0.method == "thread/resume" }.count == 1, "and not again")
    }

    @Test("a turn that is past when its thread is found is not read")
    func endedLongAgo() {
        var bench = CodexBench()
        bench.loaded = [CodexBench.thread]
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread)
        bench.turns[CodexBench.thread] = #"{"id":"t1","status":"completed","completedAt":1,"items":[]}"#
        bench.tell(.own(.connected))
        #expect(bench.asked.filter { $0.method == "thread/resume" }.count == 1)
    }

    @Test("the same question, said again on another connection, is the same approval, and is answered once there")
    func again() throws {
        var bench = Self.asked()
        let approval = bench.adapter.questions.map(\.approval)
        bench.tell(.own(.disconnected))
        bench.pass(.seconds(2))
        bench.tell(.own(.connected))
        bench.askCommand(id: "4")
        #expect(bench.take() == [] && bench.adapter.questions.map(\.approval) == approval)
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.delivered", #"answer {"id":4,"result":{"decision":"accept"}}"#])
        bench.askCommand(id: "4")
        #expect(bench.take() == [], "said again before the server has read the answer")
    }

    @Test("an answer that the broken connection may have lost goes to the same question again")
    func lostAnswer() throws {
        var bench = Self.asked()
        try bench.decide(.deny(message: nil))
        bench.tell(.own(.disconnected))
        bench.tell(.own(.connected))
        _ = bench.take()
        bench.askCommand(id: "0")
        #expect(bench.take() == ["approval.delivered", #"answer {"id":0,"result":{"decision":"decline"}}"#])
    }

    @Test("decided while nobody was connected: answered when the question comes again")
    func decidedMeanwhile() throws {
        var bench = Self.asked()
        bench.tell(.own(.disconnected))
        try bench.decide(.allow)
        #expect(bench.take() == [])
        bench.tell(.own(.connected))
        bench.askCommand(id: "9")
        #expect(bench.take() == ["approval.delivered", #"answer {"id":9,"result":{"decision":"accept"}}"#])
    }

    @Test("this daemon is killed and started again: the same approval, a change of files included", arguments: [false, true])
    func daemonKilled(isChange: Bool) throws {
        var bench = CodexBench.attached()
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread, status: Self.waiting)
        bench.turns[CodexBench.thread] = #"{"id":"t1","status":"inProgress","items":[]}"#
        bench.turnStarts()
        let change = #"{"path":"/home/dev/proj/a.md","kind":{"type":"add"},"diff":"hello\n"}"#
        let ask =
            #"{"method":"item/fileChange/requestApproval","id":0,"params":{"threadId":"\#(CodexBench.thread)","#
            + #""turnId":"t1","itemId":"call_1"}}"#
        if isChange {
            bench.notify(
                "item/started",
                #""turnId":"t1","item":{"type":"fileChange","id":"call_1","changes":[\#(change)],"status":"inProgress"}"#)
            bench.say(ask)
        } else {
            bench.askCommand()
        }
        let approval = bench.adapter.questions.map(\.approval)
        #expect(approval.count == 1)
        bench.restart()
        _ = bench.take()
        bench.tell(.own(.connected))
        if isChange { bench.say(ask) } else { bench.askCommand() }
        #expect(!bench.take().contains { $0.hasPrefix("approval") } && bench.adapter.questions.map(\.approval) == approval)
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.delivered", #"answer {"id":0,"result":{"decision":"accept"}}"#])
    }

    @Test("answered at the terminal while we were away")
    func answeredMeanwhile() {
        var bench = Self.asked()
        bench.tell(.own(.disconnected))
        bench.resumable[CodexBench.thread] = CodexBench.resumed(
            CodexBench.thread, status: #"{"type":"active","activeFlags":[]}"#)
        bench.tell(.own(.connected))
        #expect(bench.take() == ["approval.cancelled answeredLocally"])
    }

    @Test("our answer was the one: what its item shows comes with the turn so far")
    func appliedMeanwhile() throws {
        var bench = Self.asked()
        try bench.decide(.allow)
        bench.tell(.own(.disconnected))
        _ = bench.take()
        bench.resumable[CodexBench.thread] = CodexBench.resumed(
            CodexBench.thread, status: #"{"type":"active","activeFlags":[]}"#)
        bench.turns[CodexBench.thread] =
            #"{"id":"t1","status":"inProgress","items":[{"type":"commandExecution","id":"call_1","command":"x","#
            + #""cwd":"/","status":"completed","exitCode":0}]}"#
        bench.tell(.own(.connected))
        #expect(bench.take() == ["tool.started Running: x", "approval.applied ran", "tool.finished ok"])
    }

    @Test("Codex's server stops for good: the question and the session are over")
    func serverGone() {
        var bench = Self.asked()
        bench.tell(.own(.disconnected))
        bench.pass(.seconds(60))
        #expect(
            bench.take() == [
                "approval.cancelled turnEnded", "session.ended Codex's server no longer has it failed",
            ])
        bench.tell(.own(.connected))
        #expect(bench.take().first == "session.started proj again", "and back when it is there again")
    }

    @Test("items that were told are not told again, those that were missed are, and what came meanwhile comes after them")
    func missedItems() {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.notify("item/completed", #""turnId":"t1","item":{"type":"agentMessage","id":"m1","text":"One."}"#)
        bench.tell(.own(.disconnected))
        _ = bench.take()
        bench.answersItself = false
        bench.tell(.own(.connected))
        for answer in [
            #"{}"#, #"{"data":["\#(CodexBench.thread)"]}"#,
            CodexBench.resumed(CodexBench.thread, status: #"{"type":"active","activeFlags":[]}"#),
        ] {
            if let call = bench.asked.last { bench.say(#"{"id":\#(call.id),"result":\#(answer)}"#) }
        }
        bench.notify("item/completed", #""turnId":"t1","item":{"type":"agentMessage","id":"m3","text":"Three."}"#)
        #expect(bench.take() == [])
        let items = #"[{"type":"agentMessage","id":"m1","text":"One."},{"type":"agentMessage","id":"m2","text":"Two."}]"#
        if let call = bench.asked.last {
            bench.say(#"{"id":\#(call.id),"result":{"data":[{"id":"t1","status":"inProgress","items":\#(items)}]}}"#)
        }
        #expect(bench.take() == ["message assistant: Two.", "message assistant: Three."])
    }

    @Test("the past of a thread that is new to us is not told as if it happened now")
    func past() {
        var bench = CodexBench()
        bench.loaded = [CodexBench.thread]
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread)
        bench.turns[CodexBench.thread] =
            #"{"id":"t0","status":"completed","items":[{"type":"agentMessage","id":"m0","text":"Old."}]}"#
        bench.tell(.own(.connected))
        #expect(bench.take() == ["session.started proj", "session.renamed go", "status.changed idle"])
    }

    @Test("what ended a moment ago, before its server was found, is")
    func justNow() {
        var bench = CodexBench()
        bench.loaded = [CodexBench.thread]
        bench.resumable[CodexBench.thread] = CodexBench.resumed(
            CodexBench.thread, status: #"{"type":"active","activeFlags":[]}"#)
        let ended = bench.now.wall / 1_000 - 2
        bench.turns[CodexBench.thread] =
            #"{"id":"t0","status":"completed","completedAt":\#(ended),"items":[{"type":"agentMessage","id":"m0","text":"New."}]}"#
        bench.tell(.own(.connected))
        #expect(bench.take().suffix(3) == ["status.changed running", "message assistant: New.", "status.changed idle"])
    }

    @Test("a thread that rests is let go, so that Codex can unload it, and watched again at its next turn")
    func rest() {
        var bench = CodexBench.attached()
        bench.pass(.seconds(3_600))
        #expect(bench.asked.last?.method == "thread/unsubscribe" && bench.take() == [])
        bench.turns[CodexBench.thread] =
            #"{"id":"t2","status":"inProgress","items":[{"type":"userMessage","id":"u","content":[{"type":"text","text":"more"}]}]}"#
        bench.resumable[CodexBench.thread] = CodexBench.resumed(
            CodexBench.thread, status: #"{"type":"active","activeFlags":[]}"#)
        bench.status()
        #expect(bench.take() == ["status.changed running", "message user: more"])
        bench.notify("thread/closed")
        #expect(bench.take() == ["session.ended "])
    }

    @Test("what does not greet us is left alone")
    func stranger() {
        var bench = CodexBench()
        bench.answersItself = false
        bench.tell(.own(.connected))
        bench.say(#"{"id":1,"error":{"code":-32601,"message":"no"}}"#)
        #expect(bench.take() == ["hang up"])
        for message in [
            #"[]"#, #"{}"#, #"{"id":"x"}"#, #"{"id":99,"result":{}}"#, #"{"method":"item/started"}"#, #"{"id":0,"method":"y"}"#,
        ] {
            bench.say(message)
        }
        #expect(bench.take() == [])
    }

    @Test("streamed text comes in whole lines, and goes out without secrets")
    func streams() {
        var bench = CodexBench.attached()
        bench.turnStarts()
        _ = bench.take()
        for piece in ["Line", " one.\\nkey ghp_16C7e42F292c691", "2E7710c838347Ae178B4a\\nrest"] {
            bench.notify("item/agentMessage/delta", #""turnId":"t1","itemId":"m","delta":"\#(piece)""#)
        }
        let lines = bench.take()
        #expect(lines.first == "stream Line one.\n" && lines.count == 2 && !lines[1].contains("7710c838"))
    }

    @Test("what a command prints is shown while it runs, and not after its end")
    func prints() {
        var bench = CodexBench.attached()
        bench.turnStarts()
        func print(_ text: String, by item: String = "call_1") {
            bench.notify("item/commandExecution/outputDelta", #""turnId":"t1","itemId":"\#(item)","delta":"\#(text)""#)
        }
        func item(_ method: String, _ status: String) {
            bench.notify(
                method,
                #""turnId":"t1","item":{"type":"commandExecution","id":"call_1","command":"x","cwd":"/","status":"\#(status)"}"#
            )
        }
        print("early\\n")
        item("item/started", "inProgress")
        _ = bench.take()
        print("one\\n")
        print("two\\nthr")
        #expect(bench.take() == [])
        bench.pass(.milliseconds(300))
        #expect(bench.take() == ["output of call_1: one\ntwo\n"])
        print("ee\\n")
        bench.pass(.seconds(1))
        #expect(bench.take() == ["output of call_1: one\ntwo\nthree\n"])
        item("item/completed", "completed")
        _ = bench.take()
        print("late\\n")
        bench.pass(.seconds(30))
        #expect(bench.take() == [])
    }

    @Test("tokens count up in a run, and a count that begins anew is another run")
    func tokens() throws {
        var bench = CodexBench.attached()
        func usage(_ input: Int, _ output: Int) -> String {
            #""tokenUsage":{"total":{"totalTokens":9,"inputTokens":\#(input),"cachedInputTokens":1000,"outputTokens":\#(output)},"#
                + #""last":{"totalTokens":1280},"modelContextWindow":258400}"#
        }
        bench.notify("thread/tokenUsage/updated", usage(1200, 80))
        bench.notify("thread/tokenUsage/updated", usage(1200, 80))
        bench.notify("thread/tokenUsage/updated", usage(1100, 10))
        #expect(
            bench.take() == [
                "usage in 200 out 80 read 1000 of 1280/258400", "usage in 100 out 10 read 1000 of 1280/258400",
            ])
        let runs = bench.events.compactMap { if case .usage(let usage) = $0.event.head { usage.run } else { nil } }
        #expect(Set(runs).count == 2)
    }
}
