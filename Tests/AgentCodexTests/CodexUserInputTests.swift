import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

@Suite("Codex: questions of the model's")
struct CodexUserInputTests {
    private static let choices = #"[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]"#

    private static func question(_ id: String, _ members: String) -> String {
        #"{"id":"\#(id)","header":"H","question":"Which \#(id)?",\#(members)}"#
    }

    /// A colour from a list or in own words, one from the list only, and words only.
    private static let three = [
        question("colour", #""isOther":true,"isSecret":false,"options":\#(choices)"#),
        question("paint", #""isOther":false,"options":\#(choices)"#),
        question("name", #""isOther":false,"options":null"#),
    ].joined(separator: ",")

    private static func asked(_ questions: String = three) -> CodexBench {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.status("waitingOnUserInput")
        _ = bench.take()
        bench.say(
            #"{"method":"item/tool/requestUserInput","id":0,"params":{"threadId":"\#(CodexBench.thread)","turnId":"t1","#
                + #""itemId":"call_1","questions":[\#(questions)],"isBlocking":false,"autoResolutionMs":null}}"#)
        return bench
    }

    private static func answers(paint: Answer = Answer(question: "q1", choices: ["Red"])) -> Decision.Verdict {
        .answer([
            Answer(question: "q0", choices: [], text: "green"), paint, Answer(question: "q2", choices: [], text: "Ada"),
        ])
    }

    @Test("they come as one card, with their choices")
    func card() throws {
        var bench = Self.asked()
        #expect(bench.take() == ["approval.requested Which colour?"])
        let request = try #require(bench.requests.last).head
        #expect(request.kind == .question && request.tool == "request_user_input" && !request.isCut)
        #expect(request.questions.map(\.choices) == [["Red", "Blue"], ["Red", "Blue"], []])
        let shown = try bench.body(.approvalRequested).array("questions")
        #expect(try shown.map { try $0.string("text") } == ["Which colour?", "Which paint?", "Which name?"])
        #expect(try bench.body(.approvalRequested).required("input").array("questions").count == 3)
        bench.pass(.seconds(5))
        #expect(bench.take() == [], "its card is all that waits")
    }

    @Test("what is answered goes as the terminal would say it, and counts once Codex says that it is over")
    func answered() throws {
        var bench = Self.asked()
        _ = bench.take()
        try bench.decide(Self.answers())
        let said =
            #"{"id":0,"result":{"answers":{"colour":{"answers":["None of the above","user_note: green"]},"#
            + #""paint":{"answers":["Red"]},"name":{"answers":["user_note: Ada"]}}}}"#
        #expect(bench.take() == ["approval.delivered", "answer \(said)"])
        bench.resolved()
        #expect(bench.take() == ["approval.applied answered"])
    }

    @Test("words where only a choice is taken are no answer, and the terminal's dialog stays")
    func unfit() throws {
        var bench = Self.asked()
        _ = bench.take()
        try bench.decide(Self.answers(paint: Answer(question: "q1", choices: [], text: "green")))
        #expect(bench.take() == ["approval.stale badAnswer"])
        #expect(bench.answers.isEmpty)
    }

    @Test("declined they have no answer, and the turn goes on")
    func declined() throws {
        var bench = Self.asked()
        _ = bench.take()
        try bench.decide(.deny(message: "no"))
        #expect(bench.take() == ["approval.delivered", #"answer {"id":0,"result":{"answers":{}}}"#])
        bench.resolved()
        #expect(bench.take() == ["approval.applied denied"])
    }

    @Test("answered at the terminal, or interrupted there, they are withdrawn")
    func atTheTerminal() throws {
        var bench = Self.asked()
        _ = bench.take()
        bench.resolved()
        #expect(bench.take() == ["approval.cancelled answeredLocally"])
        bench = Self.asked()
        _ = bench.take()
        bench.turnEnds("interrupted")
        #expect(bench.take().first == "approval.cancelled turnEnded")
    }

    @Test("an answer that Codex has not said to be over when the connection breaks, or the turn ends, is told as such")
    func unconfirmed() throws {
        var bench = Self.asked()
        try bench.decide(Self.answers())
        _ = bench.take()
        bench.tell(.own(.disconnected))
        bench.tell(.own(.connected))
        bench.turnEnds()
        #expect(bench.take().contains("approval.stale unconfirmed"))
    }

    @Test(
        "secrets, and what we do not know, are asked at the terminal only",
        arguments: [
            "", question("a", #""isSecret":true"#), #"{"id":"a"}"#,
            question("a", #""options":[]"#) + "," + question("a", #""options":[]"#),
        ])
    func unknown(_ questions: String) {
        var bench = Self.asked(questions)
        #expect(bench.take() == ["status.changed waitingAnswer: waits at the terminal"])
        #expect(bench.requests.isEmpty)
    }
}
