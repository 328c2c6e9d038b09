import HostCore
import RelayProtocol
import Testing

@testable import AgentLocal

@Suite("Any program: questions")
struct LocalAskTests {
    private static let options =
        #""options":[{"id":"always","name":"Always","kind":"allow_always"},{"id":"yes","kind":"allow_once"},{"id":"no","kind":"reject_once"}]"#
    private static let tool = #""kind":"tool","tool":"Deploy","title":"Deploy to production","input":{"to":"production"}"#
    private static let questions =
        #""kind":"question","questions":[{"id":"c","text":"Which?","choices":[{"label":"Red"},{"label":"Blue"}]}]"#

    @Test("allowed: handed over, and applied only when the program says that it ran")
    func allow() throws {
        var bench = LocalBench()
        try bench.ask("q1", Self.tool)
        #expect(bench.take() == ["local-s1: started local", "local-s1: asks Deploy to production"])
        #expect(bench.requests[0].body.contains(#""body":{"input":{"to":"production"}}"#))
        #expect(bench.requests[0].head.expiresAt == bench.now.wall + 3_600_000)
        try bench.decide(.allow)
        #expect(bench.take() == ["local-s1: approval.delivered", #"1: {"decision":"allow"}"#])
        bench.pass(.seconds(60))
        #expect(bench.take() == [])
        try bench.settle("ran")
        #expect(bench.take() == ["local-s1: applied ran", "2: 204"])
        try bench.settle("ran")
        #expect(bench.take() == ["3: 204"], "what is over is over")
    }

    @Test("denied, with the words that a person wrote or with whose denial it was")
    func deny() throws {
        var bench = LocalBench()
        try bench.ask("q1", Self.tool + "," + Self.options)
        _ = bench.take()
        try bench.decide(.deny(message: #"not "today""#))
        #expect(bench.take().last == #"1: {"decision":"deny","message":"not \"today\"","option":"no"}"#)
        try bench.settle("refused")
        #expect(bench.take() == ["local-s1: applied denied", "2: 204"])
        try bench.ask("q2")
        try bench.decide(.deny(message: nil))
        #expect(bench.take().last == #"3: {"decision":"deny","message":"Denied by Ada's phone through Heliograph."}"#)
    }

    @Test("of a program's own options the first that allows once is meant, never one that allows always")
    func options() throws {
        var bench = LocalBench()
        try bench.ask("q1", Self.tool + "," + Self.options)
        #expect(bench.requests[0].head.offers == [Offer(id: "always", label: "Always", scope: .agent)])
        try bench.decide(.allow)
        #expect(bench.take().last == #"1: {"decision":"allow","option":"yes"}"#)
        try bench.ask("q2", Self.tool + #","options":[{"id":"always","kind":"allow_always"}]"#)
        try bench.decide(.allow)
        #expect(bench.take().suffix(2) == ["local-s1: stale badAnswer", "2: 204"])
    }

    @Test("a question is answered in the program's own labels")
    func answer() throws {
        var bench = LocalBench()
        try bench.ask("q1", Self.questions)
        #expect(bench.take().last == "local-s1: asks Which?")
        #expect(bench.requests[0].head.questions == [QuestionOffer(id: "c", choices: ["Red", "Blue"], isMultiple: false)])
        try bench.decide(.answer([Answer(question: "c", choices: ["Blue"])]))
        #expect(bench.take().last == #"1: {"decision":"answer","answers":[{"question":"c","choices":["Blue"],"indexes":[1]}]}"#)
        try bench.settle("ran")
        #expect(bench.take() == ["local-s1: applied answered", "2: 204"])
    }

    private static let form =
        #""kind":"question","form":{"message":"Ship?","schema":{"type":"object","properties":{"#
        + #""sure":{"type":"boolean"},"port":{"type":"integer","maximum":99}},"required":["sure"]}}"#

    @Test("a form is a question of each field, and is filled in as its schema has it")
    func form() throws {
        var bench = LocalBench()
        try bench.ask("q1", Self.form)
        #expect(bench.take().last == "local-s1: asks Ship? · sure")
        let offers = bench.requests[0].head.questions
        #expect(offers.map(\.choices) == [["Yes", "No"], ["Leave it out"]] && offers.map(\.isChoicesOnly) == [true, false])
        #expect(bench.requests[0].body.contains(#""choicesOnly":true"#))
        try bench.decide(
            .answer([Answer(question: "q0", choices: ["Yes"], indexes: [0]), Answer(question: "q1", choices: [], text: "80")]))
        #expect(bench.take().last == #"1: {"decision":"answer","content":{"sure":true,"port":80}}"#)
        try bench.settle("ran")
        #expect(bench.take() == ["local-s1: applied answered", "2: 204"])
    }

    @Test("a form that people could not be shown whole is refused, and no session comes of it")
    func formUnknown() throws {
        var bench = LocalBench()
        try bench.ask("q1", #""kind":"question","form":{"message":"Ship?","schema":{"type":"array"}}"#)
        #expect(bench.take() == ["1: 400 badValue"])
    }

    @Test("what does not fit its field is no answer to a form")
    func formMisfit() throws {
        var bench = LocalBench()
        try bench.ask("q1", Self.form)
        try bench.decide(
            .answer([Answer(question: "q0", choices: ["Yes"], indexes: [0]), Answer(question: "q1", choices: [], text: "100")]))
        #expect(bench.take().suffix(2) == ["local-s1: stale badAnswer", "1: 204"])
    }

    @Test("a question of choices only takes no words")
    func choicesOnly() throws {
        var bench = LocalBench()
        try bench.ask(
            "q1", #""kind":"question","questions":[{"id":"c","text":"Which?","choicesOnly":true,"choices":[{"label":"Red"}]}]"#)
        #expect(bench.requests[0].head.questions.map(\.isChoicesOnly) == [true])
        try bench.decide(.answer([Answer(question: "c", choices: [], text: "Blue")]))
        #expect(bench.take().suffix(2) == ["local-s1: stale badAnswer", "1: 204"])
    }

    @Test("an answer goes by its places: a program's choices of one label are not mixed up")
    func placesOfChoices() throws {
        var bench = LocalBench()
        let choices = #"[{"label":"key","description":"test"},{"label":"key","description":"live"}]"#
        try bench.ask("q1", #""kind":"question","questions":[{"id":"c","text":"Which?","choices":\#(choices)}]"#)
        #expect(bench.requests[0].head.questions.first?.choices == ["key (1)", "key (2)"])
        try bench.decide(.answer([Answer(question: "c", choices: ["key (2)"], indexes: [1])]))
        #expect(bench.take().last == #"1: {"decision":"answer","answers":[{"question":"c","choices":["key"],"indexes":[1]}]}"#)
    }

    @Test("an answer whose place has another label than it says is no decision")
    func wrongPlace() throws {
        var bench = LocalBench()
        try bench.ask("q1", Self.questions)
        try bench.decide(.answer([Answer(question: "c", choices: ["Blue"], indexes: [0])]))
        #expect(bench.take().suffix(2) == ["local-s1: stale badAnswer", "1: 204"])
    }

    @Test("choices that look alike once their secrets are hidden are told apart")
    func hiddenChoices() throws {
        var bench = LocalBench()
        let keys = ["ghp_" + String(repeating: "a1B2", count: 9), "ghp_" + String(repeating: "c3D4", count: 9)]
        let choices = keys.map { #"{"label":"\#($0)"}"# }.joined(separator: ",")
        try bench.ask("q1", #""kind":"question","questions":[{"id":"c","text":"Which?","choices":[\#(choices)]}]"#)
        let offered = bench.requests[0].head.questions.first?.choices ?? []
        #expect(offered.isEmpty || Set(offered).count == 2)
        #expect(!bench.requests[0].body.contains(keys[0]) && bench.requests[0].head.isRedacted)
        // The choice depends on the hidden parts, so that no client may allow it.
        #expect(bench.requests[0].head.isCut)
    }

    @Test("an answer that does not fit is no decision")
    func badAnswer() throws {
        for answers in [[], [Answer(question: "c", choices: ["Green"])], [Answer(question: "c", choices: ["Red", "Blue"])]] {
            var bench = LocalBench()
            try bench.ask("q1", Self.questions)
            _ = bench.take()
            try bench.decide(.answer(answers))
            #expect(bench.take() == ["local-s1: stale badAnswer", "1: 204"])
        }
    }

    @Test("a decision for another input is no decision")
    func otherDigest() throws {
        var bench = LocalBench()
        try bench.ask()
        _ = bench.take()
        try bench.decide(.allow, digest: LocalBench.digests.input(tool: "Run", Array("{}".utf8)))
        #expect(bench.take() == ["local-s1: stale digestMismatch", "1: 204"])
    }

    @Test("what people do not see whole can be denied, never allowed")
    func cut() throws {
        var bench = LocalBench()
        let long = String(repeating: "long ", count: 60_000)
        try bench.ask("q1", #""kind":"tool","tool":"Run","input":{"command":"\#(long)"}"#)
        #expect(bench.take().last == "local-s1: asks Use Run cut")
        try bench.decide(.allow)
        #expect(bench.take() == ["local-s1: stale notWhole", "1: 204"])
        try bench.ask("q2", #""kind":"tool","tool":"Run","input":{"command":"\#(long)"}"#)
        try bench.decide(.deny(message: "no"))
        #expect(bench.take().last == #"2: {"decision":"deny","message":"no"}"#)
    }

    // MARK: No decision

    @Test("nobody decides in time: no decision, which the relay says by itself")
    func expired() throws {
        var bench = LocalBench()
        try bench.ask("q1", Self.tool + #","waitSeconds":30"#)
        _ = bench.take()
        bench.pass(.seconds(29))
        #expect(bench.take() == [])
        bench.pass(.seconds(1))
        #expect(bench.take() == ["1: 204"])
        try bench.decide(.allow)
        #expect(bench.take() == ["local-s1: stale expired"])
    }

    @Test("a relay that is away is no decision, unless somebody can answer at the program's own prompt")
    func relayAway() throws {
        var bench = LocalBench()
        try bench.ask("q1")
        try bench.ask("q2", Self.tool + #","attended":true,"waitSeconds":60"#)
        _ = bench.take()
        bench.tell(.linkChanged(isLive: false))
        bench.pass(.seconds(16))
        #expect(bench.take() == [], "a relay that was restarted in five seconds is back by then")
        bench.pass(.seconds(5))
        #expect(bench.take() == ["local-s1: cancelled relayUnreachable", "1: 204"])
        try bench.ask("q3")
        #expect(bench.take() == ["3: 204"], "nobody is asked for a program that would wait for nothing")
        bench.pass(.seconds(40))
        #expect(bench.take() == ["2: 204"])
    }

    @Test("a connection that is closed takes its question back")
    func withdrawn() throws {
        var bench = LocalBench()
        try bench.ask()
        _ = bench.take()
        bench.hangUp(1)
        bench.pass(.seconds(2))
        #expect(bench.take() == ["local-s1: cancelled withdrawn"])
        try bench.decide(.allow)
        #expect(bench.take() == [], "the relay learns from what was said")
    }

    @Test("what the disk did not take is asked of nobody")
    func notRecorded() throws {
        var bench = LocalBench()
        try bench.ask()
        _ = bench.take()
        bench.tell(.notRecorded(try #require(bench.requests.last).head.approval))
        #expect(bench.take() == ["1: 204"])
    }

    @Test("the end of the session, or of the program, takes its questions back")
    func ended() throws {
        var bench = LocalBench()
        try bench.ask()
        try bench.ask(session: "s2", by: LocalBench.other)
        _ = bench.take()
        try bench.send(#"{"session":"s1","kind":"session.ended"}"#)
        #expect(
            bench.take() == ["local-s1: cancelled sessionEnded", "1: 204", "local-s1: ended ", #"3: {"taken":1}"#])
        bench.gone = [LocalBench.other]
        bench.pass(.seconds(2))
        #expect(bench.take() == ["local-s2: cancelled agentGone", "2: 204", "local-s2: ended agentGone failed"])
    }

    // MARK: Settled by the program

    @Test(
        "an open question that the program settles is over",
        arguments: [
            ("ran", "cancelled allowedLocally"), ("refused", "cancelled deniedLocally"),
            ("answeredElsewhere", "cancelled answeredLocally"), ("cancelled", "cancelled turnEnded"),
            ("unknown", "cancelled withdrawn"),
        ])
    func settledOpen(outcome: String, end: String) throws {
        var bench = LocalBench()
        try bench.ask()
        _ = bench.take()
        try bench.settle(outcome)
        #expect(bench.take() == ["local-s1: \(end)", "1: 204", "2: 204"])
    }

    @Test(
        "after our answer the program's own word counts",
        arguments: [
            (true, "ran", "applied ran"), (true, "refused", "stale deniedLocally"), (true, "unknown", "stale unconfirmed"),
            (true, "answeredElsewhere", "stale answeredLocally"), (true, "cancelled", "stale unconfirmed"),
            (false, "ran", "stale allowedLocally"), (false, "refused", "applied denied"),
            (false, "unknown", "stale unconfirmed"),
            (false, "cancelled", "applied denied"),
        ])
    func settledAnswered(isAllowed: Bool, outcome: String, end: String) throws {
        var bench = LocalBench()
        try bench.ask()
        try bench.decide(isAllowed ? .allow : .deny(message: nil))
        _ = bench.take()
        try bench.settle(outcome)
        #expect(bench.take() == ["local-s1: \(end)", "2: 204"])
    }

    @Test("programs that never tell what became of an answer leave room for the next question")
    func neverSettled() throws {
        var bench = LocalBench()
        for number in 0..<400 {
            try bench.ask("q\(number)")
            try bench.decide(.allow)
            #expect(bench.take().last == #"\#(number + 1): {"decision":"allow"}"#)
            bench.pass(.seconds(1))
        }
        #expect(bench.adapter.questions.count <= 129)
    }

    @Test("a question that is asked again needs no more room")
    func againAtTheLimit() throws {
        var bench = LocalBench()
        for number in 1...LocalLimits().answeredMax {
            try bench.ask("q\(number)")
            try bench.decide(.allow)
        }
        _ = bench.take()
        try bench.ask("q1")
        #expect(bench.take() == ["local-s1: approval.delivered", "\(LocalLimits().answeredMax + 1): {\"decision\":\"allow\"}"])
    }

    // MARK: The same again

    @Test("a second ask of the same takes the question up, and the first gets no decision")
    func duplicate() throws {
        var bench = LocalBench()
        try bench.ask()
        _ = bench.take()
        try bench.ask()
        #expect(bench.take() == ["1: 204"])
        try bench.decide(.allow)
        #expect(bench.take() == ["local-s1: approval.delivered", #"2: {"decision":"allow"}"#])
    }

    @Test("another input under the same name is refused, and the question stays")
    func conflict() throws {
        var bench = LocalBench()
        try bench.ask()
        _ = bench.take()
        try bench.ask("q1", #""kind":"tool","tool":"Run","input":{"command":"rm -rf /"}"#)
        #expect(bench.take() == ["2: 409 conflict"])
        try bench.decide(.allow)
        #expect(bench.take().last == #"1: {"decision":"allow"}"#)
    }

    @Test("an answer is handed over again for ten seconds; later the same question is another one")
    func askedAgain() throws {
        var bench = LocalBench()
        try bench.ask()
        try bench.decide(.allow)
        _ = bench.take()
        bench.pass(.seconds(9))
        try bench.ask()
        #expect(bench.take() == ["local-s1: approval.delivered", #"2: {"decision":"allow"}"#])
        bench.pass(.seconds(2))
        #expect(bench.take() == [])
        try bench.ask()
        #expect(bench.take() == ["local-s1: asks Use Run"], "one decision does not answer for ever")
        #expect(bench.requests[0].head.approval != bench.requests[1].head.approval)
    }

    @Test("two programs may use the same name, each in its own session")
    func twoPrograms() throws {
        var bench = LocalBench()
        try bench.ask(session: "s1")
        try bench.ask(session: "s2", by: LocalBench.other)
        _ = bench.take()
        try bench.decide(.allow)
        #expect(bench.take() == ["local-s2: approval.delivered", #"2: {"decision":"allow"}"#])
        try bench.settle("refused", session: "s1")
        #expect(bench.take() == ["local-s1: cancelled deniedLocally", "1: 204", "3: 204"])
    }

    // MARK: The daemon starts again

    @Test("a question outlives the daemon: the same ask finds it, and its decision")
    func restarted() throws {
        var bench = LocalBench()
        try bench.ask()
        bench.restart()
        _ = bench.take()
        try bench.ask()
        #expect(bench.take() == [])
        try bench.decide(.allow)
        #expect(bench.take() == ["local-s1: approval.delivered", #"2: {"decision":"allow"}"#])
    }

    @Test("a decision that comes before the program is back waits for it")
    func decidedMeanwhile() throws {
        var bench = LocalBench()
        try bench.ask()
        bench.restart()
        _ = bench.take()
        try bench.decide(.allow)
        #expect(bench.take() == [])
        try bench.ask("q1", #""kind":"tool","tool":"Run","input":{"command":"rm -rf /"}"#)
        #expect(bench.take() == ["2: 409 conflict"])
        try bench.ask()
        #expect(bench.take() == ["local-s1: approval.delivered", #"3: {"decision":"allow"}"#])
    }

    @Test("a question that is not asked again after a restart is over")
    func notAskedAgain() throws {
        var bench = LocalBench()
        try bench.ask()
        bench.restart()
        _ = bench.take()
        bench.pass(.seconds(16))
        #expect(bench.take() == ["local-s1: cancelled hostRestarted"])
    }

    @Test("an answer that was handed over long before a restart is handed over to nobody else")
    func noReplay() throws {
        var bench = LocalBench()
        try bench.ask()
        try bench.decide(.allow)
        bench.pass(.seconds(11))
        bench.restart()
        _ = bench.take()
        try bench.ask()
        #expect(bench.take() == ["local-s1: asks Use Run"], "people are asked")
        try bench.settle("ran")
        #expect(bench.take() == ["local-s1: cancelled allowedLocally", "2: 204", "3: 204"])
    }

    @Test(
        "what is not as the protocol has it is refused",
        arguments: [
            (#""kind":"tool","tool":"Run""#, "$.input"), (#""kind":"tool","input":{}"#, "$.tool"),
            (#""kind":"tool","tool":"Run","input":"ls""#, "$.input"), (#""kind":"wish","tool":"Run","input":{}"#, "$.kind"),
            (#""kind":"question","questions":[]"#, "$.questions"),
            (#""kind":"question","questions":[{"id":"a","text":"b","choicesOnly":true,"choices":[]}]"#, "$.questions"),
            (#""kind":"question","form":{"message":"a"}"#, "$.form.schema"),
            (#""kind":"question","questions":[],"form":{"message":"a","schema":{}}"#, "$.questions"),
            (
                #""kind":"question","questions":[{"id":"a","text":"b","choices":[]},{"id":"a","text":"c","choices":[]}]"#,
                "$.questions"
            ),
            (#""kind":"tool","tool":"Run","input":{},"waitSeconds":0"#, "$.waitSeconds"),
            (#""kind":"tool","tool":"Run","input":{},"options":[{"id":"a","kind":"perhaps"}]"#, "$.options[0].kind"),
        ])
    func badAsk(rest: String, path: String) throws {
        var bench = LocalBench()
        let error = #expect(throws: LocalError.self) { try bench.ask("q1", rest) }
        #expect(error?.path == path && error?.status == 400)
    }
}
