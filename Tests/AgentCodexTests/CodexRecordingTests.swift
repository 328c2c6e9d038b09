import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

/// Messages of Codex 0.163.0 on loopback, replayed.
@Suite("Codex: recordings")
struct CodexRecordingTests {
    @Test("allowed from afar: two commands and a new file")
    func accepted() throws {
        var (bench, all) = try CodexBench.playing("app-server-accept")
        var rest = all[...]
        bench.playToQuestion(&rest)
        #expect(
            bench.take().filter { !$0.hasPrefix("usage") } == [
                "session.started proj", "status.changed idle", "status.changed running", "session.renamed create out.txt",
                "message user: create out.txt", "message assistant: Now run.", "tool.started Running: echo hi > out.txt",
                "approval.requested Run: echo hi > out.txt",
            ])
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.delivered", #"answer {"id":0,"result":{"decision":"accept"}}"#])
        bench.playToQuestion(&rest)
        #expect(
            bench.take() == [
                "approval.applied ran", "tool.finished ok", "usage in 200 out 80 read 1000 of 1280/258400",
                "tool.started Running: echo esc > /home/dev/proj/esc.txt",
                "approval.requested Run: echo esc > /home/dev/proj/esc.txt",
            ])
        try bench.decide(.allow)
        bench.playToQuestion(&rest)
        #expect(bench.take().suffix(2) == ["tool.started Changing note.md", "approval.requested Change note.md"])
        #expect(try bench.body(.approvalRequested).string("diff") == "--- /dev/null\n+++ note.md\n+hello")
        try bench.decide(.allow)
        for message in rest { bench.say(message) }
        #expect(
            bench.take().filter { !$0.hasPrefix("usage") } == [
                "approval.delivered", #"answer {"id":2,"result":{"decision":"accept"}}"#, "approval.applied ran",
                "tool.finished ok",
                "file.changed note.md +1 -0", "message assistant: All DONE.", "status.changed idle",
            ])
        #expect(bench.adapter.questions.isEmpty)
    }

    @Test("denied from afar: nothing runs, and the turn goes on")
    func declined() throws {
        var (bench, all) = try CodexBench.playing("app-server-decline")
        var rest = all[...]
        for _ in 0..<3 {
            bench.playToQuestion(&rest)
            _ = bench.take()
            try bench.decide(.deny(message: "not now"))
        }
        #expect(bench.answers == (0..<3).map { #"{"id":\#($0),"result":{"decision":"decline"}}"# })
        for message in rest { bench.say(message) }
        #expect(bench.events.count { $0.event.head.kind == "approval.applied" } == 3)
        #expect(
            bench.take().filter { !$0.hasPrefix("usage") } == [
                "approval.delivered", #"answer {"id":2,"result":{"decision":"decline"}}"#, "approval.applied denied",
                "tool.finished failed: Denied", "message assistant: All DONE.", "status.changed idle",
            ])
    }

    @Test("cancelled at the terminal: the question is over there, and the turn interrupted")
    func cancelled() throws {
        let (started, all) = try CodexBench.playing("app-server-cancel")
        var (bench, rest) = (started, all[...])
        bench.playToQuestion(&rest)
        _ = bench.take()
        for message in rest { bench.say(message) }
        #expect(
            bench.take().filter { !$0.hasPrefix("usage") } == [
                "approval.cancelled answeredLocally", "tool.finished failed: Denied", "status.changed idle",
                "status.changed idle: interrupted",
            ])
        #expect(bench.answers.isEmpty)
    }

    @Test("the plan is the list of what is to do")
    func plan() throws {
        var (bench, all) = try CodexBench.playing("app-server-plan")
        for message in all { bench.say(message) }
        #expect(bench.take().contains("todo.changed 0/2 Create out.txt"))
    }

    @Test("a thread that has no turn yet is resumed when it has; a side thread of Codex's own never")
    func noRollout() throws {
        var bench = CodexBench()
        let main = "01a1fb6c-24c6-7291-bc35-46dfd2eba093"
        bench.loaded = [main]
        bench.tell(.own(.connected))
        #expect(bench.take() == [])
        for message in try CodexBench.recording("daemon-attach-1") where message.hasPrefix(#"{"method""#) { bench.say(message) }
        #expect(bench.asked.filter { $0.method == "thread/resume" }.allSatisfy { $0.thread == main })
        bench.resumable[main] = CodexBench.resumed(main, status: #"{"type":"active","activeFlags":[]}"#)
        bench.pass(.seconds(1))
        #expect(bench.take() == ["session.started proj", "session.renamed go", "status.changed running"])
    }

    @Test("a question that was open when we came is asked, answered by its id 0, and closed")
    func attached() throws {
        let messages = try CodexBench.recording("daemon-attach-2")
        var bench = CodexBench()
        bench.answersItself = false
        bench.tell(.own(.connected))
        let question = try #require(messages.firstIndex { $0.contains("/requestApproval") })
        for message in messages[...question] { bench.say(message) }
        #expect(
            bench.take() == ["session.started proj", "session.renamed go", "status.changed running"], "its turn is not told yet"
        )
        let call = try #require(bench.asked.last { $0.method == "thread/turns/list" })
        bench.say(#"{"id":\#(call.id),"result":{"data":[]}}"#)
        #expect(bench.take() == ["approval.requested Run: echo esc > /opt/spike/esc-codex.txt"])
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.delivered", #"answer {"id":0,"result":{"decision":"accept"}}"#])
        for message in messages[(question + 1)...] { bench.say(message) }
        #expect(
            bench.take().prefix(3) == [
                "tool.started Running: echo esc > /opt/spike/esc-codex.txt", "approval.applied ran", "tool.finished ok",
            ])
    }

    @Test("answered at the terminal first: the card closes at once")
    func answeredThere() throws {
        let messages = try CodexBench.recording("daemon-attach-3")
        var bench = CodexBench()
        bench.answersItself = false
        bench.tell(.own(.connected))
        let question = try #require(messages.firstIndex { $0.contains("/requestApproval") })
        for message in messages[...question] { bench.say(message) }
        bench.pass(.seconds(6))
        #expect(
            bench.take().suffix(3) == [
                "status.changed waitingApproval: waits at the terminal",
                "approval.requested Run: echo esc > /opt/spike/esc-codex.txt",
                "status.changed running",
            ], "also where its turn is never told")
        bench.say(messages[question + 2])
        #expect(bench.take() == ["approval.cancelled answeredLocally"])
        try bench.decide(.allow)
        #expect(bench.take() == [], "too late: the relay knows")
        #expect(bench.answers.isEmpty)
    }
}
