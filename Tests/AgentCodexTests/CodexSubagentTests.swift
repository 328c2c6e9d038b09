import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

/// Messages of Codex 0.163.0: no `thread/started`, the parent's call names the thread before it has a turn, and its tokens are its
/// own.
@Suite("Codex: subagents")
struct CodexSubagentTests {
    private static let agent = "01a1fb6a-0000-7000-8000-000000000002"

    private static func resumed(status: String = "idle") -> String {
        #"{"thread":{"id":"\#(agent)","parentThreadId":"\#(CodexBench.thread)","agentNickname":"Sartre","ephemeral":false,"preview":"","#
            + #""cwd":"/home/dev/proj","name":null,"status":{"type":"\#(status)","activeFlags":[]},"turns":[]},"model":"gpt-5.4"}"#
    }

    private static func spawn(_ status: String) -> String {
        let receivers = status == "completed" ? "\"\(agent)\"" : ""
        return #""turnId":"t1","item":{"type":"collabAgentToolCall","id":"call_s","tool":"spawnAgent","status":"\#(status)","#
            + #""prompt":"count the lines","receiverThreadIds":[\#(receivers)]}"#
    }

    private func usage(_ input: Int, turn: String) -> String {
        #""turnId":"\#(turn)","tokenUsage":{"total":{"inputTokens":\#(input),"outputTokens":10},"#
            + #""last":{"inputTokens":\#(input),"outputTokens":10,"totalTokens":\#(input)},"modelContextWindow":9}"#
    }

    /// A bench with a working subagent.
    private func spawned() -> CodexBench {
        var bench = CodexBench.attached()
        bench.resumable[Self.agent] = Self.resumed()
        bench.turnStarts()
        bench.notify("item/started", Self.spawn("inProgress"))
        bench.notify("thread/status/changed", #""status":{"type":"idle"}"#, thread: Self.agent)
        bench.notify("item/completed", Self.spawn("completed"))
        bench.notify("thread/status/changed", #""status":{"type":"active","activeFlags":[]}"#, thread: Self.agent)
        bench.notify("turn/started", #""turn":{"id":"a1","status":"inProgress"}"#, thread: Self.agent)
        return bench
    }

    private func ask(_ bench: inout CodexBench) {
        bench.say(
            #"{"method":"item/commandExecution/requestApproval","id":7,"params":{"kind":"command","threadId":"\#(Self.agent)","#
                + #""turnId":"a1","itemId":"call_a","command":"/bin/bash -lc 'wc -l x'","cwd":"/home/dev/proj","#
                + #""availableDecisions":["accept","cancel"]}}"#)
    }

    private func command(_ status: String) -> String {
        #""turnId":"a1","item":{"type":"commandExecution","id":"call_a","command":"/bin/bash -lc 'wc -l x'","#
            + #""cwd":"/home/dev/proj","status":"\#(status)","aggregatedOutput":null,"exitCode":0,"durationMs":3}"#
    }

    private var endOfAgent: String { #""turn":{"id":"a1","status":"completed","error":null}"# }

    private func emitted(_ bench: CodexBench) -> [(session: SessionID, event: Event)] {
        bench.effects.compactMap { effect in
            guard case .emit(let session, let bytes, _) = effect, let event = try? Event(stored: bytes) else { return nil }
            return (session, event)
        }
    }

    @Test("it is no session of its own: its start, calls and end are its parent's, its words are not told")
    func folded() {
        var bench = spawned()
        bench.notify(
            "item/completed", #""turnId":"a1","item":{"type":"agentMessage","id":"m","text":"Counted."}"#, thread: Self.agent)
        bench.notify("item/started", command("inProgress"), thread: Self.agent)
        bench.notify("item/completed", command("completed"), thread: Self.agent)
        bench.notify("turn/completed", endOfAgent, thread: Self.agent)
        #expect(Set(emitted(bench).map(\.session)) == [CodexBench.session])
        #expect(
            bench.take() == [
                "status.changed running", "subagent.started \(Self.agent)", "tool.started Running: wc -l x", "tool.finished ok",
                "subagent.finished \(Self.agent)",
            ])
        let heads = emitted(bench).map(\.event.head)
        #expect(heads.contains(.subagentStarted(agent: Self.agent, name: "Sartre: count the lines")))
        let agents = heads.compactMap { if case .toolStarted(let start) = $0 { start.agent } else { nil } }
        #expect(agents == [Self.agent])
        #expect(bench.adapter.liveSessions.map(\.id) == [CodexBench.session])
        let steered = bench.effects.compactMap { if case .offer(let session, _) = $0 { session } else { nil } }
        #expect(Set(steered) == [CodexBench.session])
    }

    @Test("its approval is its parent's, names it, and is answered to its thread")
    func approval() throws {
        var bench = spawned()
        ask(&bench)
        let (request, _) = try bench.decision(.allow)
        #expect(request.session == CodexBench.session && request.head.agent == Self.agent)
        #expect(request.head.agentName == "Sartre: count the lines")
        try bench.decide(.allow)
        #expect(bench.answers == [#"{"id":7,"result":{"decision":"accept"}}"#])
        bench.notify("serverRequest/resolved", #""requestId":7"#, thread: Self.agent)
        bench.notify("item/completed", command("completed"), thread: Self.agent)
        #expect(bench.take().contains("approval.applied ran"))
    }

    /// A bench with a subagent that can be resumed before its parent, whose first turn is not written yet.
    private func overtaking() -> CodexBench {
        var bench = CodexBench()
        bench.tell(.own(.connected))
        bench.resumable[Self.agent] = Self.resumed(status: "active")
        bench.notify("thread/status/changed", #""status":{"type":"active","activeFlags":[]}"#)
        bench.notify("thread/status/changed", #""status":{"type":"active","activeFlags":[]}"#, thread: Self.agent)
        ask(&bench)
        return bench
    }

    @Test("one that can be opened before its parent is no session of its own either: its question waits for that")
    func early() throws {
        var bench = overtaking()
        #expect(emitted(bench).isEmpty)
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread)
        bench.pass(CodexLimits().resumeRetry * 4)
        let (request, _) = try bench.decision(.allow)
        #expect(request.session == CodexBench.session && request.head.agent == Self.agent)
        try bench.decide(.allow)
        #expect(bench.answers == [#"{"id":7,"result":{"decision":"accept"}}"#])
    }

    @Test("its question is asked also if its parent can never be opened")
    func alone() throws {
        var bench = overtaking()
        bench.pass(CodexLimits().catchUpWithin)
        let (request, _) = try bench.decision(.allow)
        #expect(request.session == SessionID("codex-" + Self.agent))
    }

    @Test("the end of its parent's turn does not close its question, the end of its own does")
    func closed() throws {
        var bench = spawned()
        ask(&bench)
        bench.turnEnds()
        #expect(bench.adapter.questions.count == 1)
        bench.notify("turn/completed", endOfAgent, thread: Self.agent)
        #expect(bench.adapter.questions.isEmpty)
    }

    @Test("its parent works as long as it does")
    func working() {
        var bench = spawned()
        _ = bench.take()
        bench.turnEnds()
        #expect(bench.take() == ["status.changed running: a subagent works"])
        bench.notify("turn/completed", endOfAgent, thread: Self.agent)
        #expect(bench.take() == ["subagent.finished \(Self.agent)", "status.changed idle"])
    }

    @Test("a dialog that only its terminal can answer is its parent's, until it is closed")
    func terminal() {
        var bench = spawned()
        _ = bench.take()
        bench.say(
            #"{"method":"item/permissions/requestApproval","id":8,"params":{"threadId":"\#(Self.agent)","turnId":"a1","itemId":"p"}}"#
        )
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
        bench.notify("serverRequest/resolved", #""requestId":8"#, thread: Self.agent)
        #expect(bench.take() == ["status.changed running"])
    }

    @Test("spawned before we joined: its parent's turn says what for")
    func spawnedBefore() throws {
        var bench = CodexBench()
        bench.loaded = [CodexBench.thread, Self.agent]
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread)
        bench.resumable[Self.agent] = Self.resumed(status: "active")
        let item = try #require(Self.spawn("completed").split(separator: "\"item\":").last)
        bench.turns[CodexBench.thread] = #"{"id":"t1","status":"inProgress","items":[\#(item)]}"#
        bench.turns[Self.agent] = #"{"id":"a1","status":"inProgress","items":[]}"#
        bench.tell(.own(.connected))
        ask(&bench)
        let asked = emitted(bench).compactMap {
            if case .approvalRequested(let request) = $0.event.head { request } else { nil }
        }
        #expect(asked.map(\.agentName) == ["Sartre: count the lines"])
    }

    @Test("its tokens are added to its parent's, once each, over restarts of this daemon, too")
    func tokens() {
        var bench = spawned()
        bench.notify("thread/tokenUsage/updated", usage(100, turn: "t1"))
        bench.notify("thread/tokenUsage/updated", usage(50, turn: "a1"), thread: Self.agent)
        bench.restart()
        bench.loaded = [Self.agent, CodexBench.thread]
        bench.resumable[Self.agent] = Self.resumed(status: "active")
        bench.tell(.own(.connected))
        bench.notify("thread/tokenUsage/updated", usage(70, turn: "a1"), thread: Self.agent)
        bench.notify("thread/tokenUsage/updated", usage(130, turn: "t1"))
        let told = emitted(bench).compactMap { entry -> String? in
            guard case .usage(let usage) = entry.event.head else { return nil }
            return "\(usage.run?.suffix(2) ?? "") \(usage.tokens?.input ?? 0)"
        }
        #expect(told == ["-1 100", "-1 150", "-1 170", "-1 200"])
        #expect(Set(emitted(bench).map(\.session)) == [CodexBench.session])
    }

    @Test("it ends with its parent, and nothing of it follows")
    func ended() {
        var bench = spawned()
        bench.notify("item/started", command("inProgress"), thread: Self.agent)
        _ = bench.take()
        bench.notify("thread/archived")
        #expect(
            bench.take() == ["tool.finished failed: Not finished", "subagent.finished \(Self.agent)", "session.ended "])
        bench.notify("item/completed", command("completed"), thread: Self.agent)
        ask(&bench)
        #expect(bench.take() == [] && bench.adapter.questions.isEmpty)
    }

    @Test("it is held with its parent, and its parent is held no further than it is")
    func held() {
        var bench = CodexBench.attached(more: #","approvalPolicy":"untrusted""#)
        bench.resumable[Self.agent] = Self.resumed().dropLast() + #","approvalPolicy":"never"}"#
        bench.turnStarts()
        bench.notify("thread/status/changed", #""status":{"type":"active","activeFlags":[]}"#, thread: Self.agent)
        bench.notify("turn/started", #""turn":{"id":"a1","status":"inProgress"}"#, thread: Self.agent)
        bench.tell(.held(Holds(sessions: [CodexBench.session])))
        let calls = bench.asked.filter { $0.method == "thread/settings/update" }
        #expect(calls.map(\.thread) == [Self.agent] && calls[0].params.contains(#""approvalPolicy":"untrusted""#))
        #expect(bench.adapter.sessions[CodexBench.session]?.offer?.hold == .unchanged)
        bench.notify("turn/completed", endOfAgent, thread: Self.agent)
        #expect(bench.adapter.sessions[CodexBench.session]?.offer?.hold == .most)
    }

    @Test("of a parent that is not watched it is a session of its own")
    func orphan() {
        var bench = CodexBench()
        bench.loaded = [Self.agent]
        bench.resumable[Self.agent] = Self.resumed()
        bench.tell(.own(.connected))
        #expect(emitted(bench).first?.session == SessionID("codex-" + Self.agent))
        #expect(bench.adapter.liveSessions.count == 1)
    }
}
