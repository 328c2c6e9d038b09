import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

@Suite("Codex, new threads and old ones")
struct CodexLaunchTests {
    private static let start = Launch(.start, project: "proj", agent: "codex")
    private static let past = Launch(.past, project: "proj", agent: "codex")

    private static func listed(_ id: String, _ folder: String = "/home/dev/proj") -> String {
        #"{"id":"\#(id)","cwd":"\#(folder)","preview":"fix it","name":null,"updatedAt":7,"ephemeral":false}"#
    }

    private func connected() -> CodexBench {
        var bench = CodexBench()
        bench.tell(.own(.connected))
        _ = (bench.take(), bench.takeSteering())
        return bench
    }

    private func asked(_ bench: CodexBench, _ method: String) -> [String] {
        bench.asked.filter { $0.method == method }.map(\.params)
    }

    @Test("a thread is begun in the folder, asks before it does anything, and takes prompts at once")
    func started() {
        var bench = connected()
        bench.launch(Self.start)
        #expect(asked(bench, "thread/start") == [#"{"cwd":"/home/dev/proj","approvalPolicy":"untrusted"}"#])
        #expect(bench.take().suffix(2) == ["launch: k began codex-new", "launch: k arrived"])
        #expect(bench.takeSteering().contains { $0.contains("prompt") })
        #expect(asked(bench, "thread/resume") == [], "there is nothing to catch up with")
        bench.launch(Launch(.start, project: "proj", agent: "codex", mode: "on-request", model: "m1"), "k2")
        #expect(asked(bench, "thread/start").last == #"{"cwd":"/home/dev/proj","approvalPolicy":"on-request","model":"m1"}"#)
    }

    @Test("what Codex refuses, or nobody is there to do, is refused")
    func refused() {
        var bench = connected()
        bench.failures["thread/start"] = "no"
        bench.launch(Self.start)
        #expect(bench.take() == ["launch: k refused (Codex refused it: no)"])
    }

    @Test("where no server is there it is started first, once for all that wait for it")
    func serverStarted() {
        var bench = CodexBench()
        bench.launch(Self.start)
        #expect(bench.take() == ["start the server"])
        bench.launch(Self.past, "k2")
        bench.tell(.own(.connected))
        #expect(bench.take().suffix(3) == ["launch: k began codex-new", "launch: k arrived", "launch: k2 "])
        bench.tell(.own(.disconnected))
        _ = bench.take()
        bench.launch(Self.past, "k3")
        #expect(bench.take() == ["start the server"])
    }

    @Test("where no server can be started all that wait are told why, and in the end also where nothing is heard")
    func serverNotStarted() {
        var bench = CodexBench()
        bench.launch(Self.start)
        bench.launch(Self.past, "k2")
        _ = bench.take()
        bench.tell(.own(.notStarted("it is too old")))
        #expect(bench.take() == ["launch: k refused (it is too old)", "launch: k2 refused (it is too old)"])
        bench.launch(Self.start, "k3")
        _ = bench.take()
        bench.pass(.seconds(89))
        #expect(bench.take() == [])
        bench.pass(.seconds(2))
        #expect(bench.take() == ["launch: k3 refused (Codex's server does not answer on that machine)"])
        for number in 0...16 { bench.launch(Self.start, "m\(number)") }
        #expect(bench.take().last?.contains("m16 refused (too much waits") == true)
    }

    @Test("the threads of the folder are listed, and no others")
    func past() {
        var bench = connected()
        bench.past = [
            Self.listed("a"), Self.listed("b", "/home/dev/other"),
            Self.listed("c").replacing("false", with: "true"), Self.listed("d").replacing("null", with: #""Named""#),
        ]
        bench.launch(Self.past)
        #expect(bench.take() == ["launch: k a fix it 7000, d Named 7000"])
        #expect(asked(bench, "thread/list").first?.contains(#""cwd":"/home/dev/proj""#) == true)
    }

    @Test("a thread is resumed where Codex lists it for the folder, and where nobody else writes it")
    func resumed() {
        var bench = connected()
        bench.past = [Self.listed("old"), Self.listed("b", "/home/dev/other")]
        bench.resumable["old"] = CodexBench.resumed("old")
        bench.launch(Launch(.resume("b"), project: "proj", agent: "codex"))
        #expect(bench.take() == ["launch: k refused (this project has no such session)"])
        bench.launch(Launch(.resume("old"), project: "proj", agent: "codex"), "k2")
        #expect(
            asked(bench, "thread/resume") == [#"{"threadId":"old","excludeTurns":true,"approvalPolicy":"untrusted"}"#])
        #expect(bench.take().contains("launch: k2 began codex-old"))
        #expect(bench.takeSteering().contains { $0.contains("prompt") })
        bench.launch(Launch(.resume("old"), project: "proj", agent: "codex"), "k3")
        #expect(asked(bench, "thread/resume").count == 1, "it is open here already")
        #expect(bench.take() == ["launch: k3 began codex-old", "launch: k3 arrived"])
        #expect(bench.takeSteering().contains { $0.contains("prompt") }, "its offer is said again")
        bench = connected()
        bench.past = [Self.listed("old")]
        bench.failures["thread/resume"] = "thread old already has an active writer"
        bench.launch(Launch(.resume("old"), project: "proj", agent: "codex"))
        #expect(bench.take() == ["launch: k refused (Codex refused it: thread old already has an active writer)"])
    }

    @Test("a thread that shows life while it is resumed is caught up with once: its first prompt is seen to be taken")
    func resumedTwice() throws {
        var bench = connected()
        bench.answersItself = false
        bench.launch(Launch(.resume(CodexBench.thread), project: "proj", agent: "codex"), "k2")
        try answer(&bench, "thread/list", #"{"data":[\#(Self.listed(CodexBench.thread))]}"#)
        bench.rests()
        #expect(asked(bench, "thread/resume").count == 2)
        let resumes = bench.asked.filter { $0.method == "thread/resume" }.map(\.id)
        bench.say(#"{"id":\#(resumes[0]),"result":\#(CodexBench.resumed(CodexBench.thread))}"#)
        try answer(&bench, "thread/turns/list", #"{"data":[]}"#)
        bench.prompt("go on")
        bench.say(#"{"id":\#(resumes[1]),"result":\#(CodexBench.resumed(CodexBench.thread))}"#)
        try answer(&bench, "turn/start", #"{"turn":{"id":"t1","status":"inProgress"}}"#)
        bench.turnStarts()
        bench.shows("go on")
        bench.turnEnds()
        #expect(asked(bench, "thread/turns/list").count == 1)
        #expect(bench.take().filter { $0.hasPrefix("steering") } == ["steering: k given", "steering: k taken"])
    }

    /// Gives the server's response to the last request of that method.
    private func answer(_ bench: inout CodexBench, _ method: String, _ result: String) throws {
        let id = try #require(bench.asked.last { $0.method == method }?.id)
        bench.say(#"{"id":\#(id),"result":\#(result)}"#)
    }
}
