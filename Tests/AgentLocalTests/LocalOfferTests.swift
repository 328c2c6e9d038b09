import HostCore
import RelayProtocol
import Testing

@testable import AgentLocal

@Suite("Any program: its own options")
struct LocalOfferTests {
    private static let options =
        #""options":[{"id":"yes","name":"Yes","kind":"allow_once"},{"id":"other","name":"Yes, slowly","kind":"allow_once"},"#
        + #"{"id":"always","name":"Always","kind":"allow_always","rule":"deploy *","scope":"project"},"#
        + #"{"id":"no","kind":"reject_once"},{"id":"never","kind":"reject_always"}]"#
    private static let tool = #""kind":"tool","tool":"Deploy","title":"Deploy","input":{"to":"production"}"#

    private static func asked(_ options: String = options) throws -> LocalBench {
        var bench = LocalBench()
        try bench.ask("q1", tool + "," + options)
        _ = bench.take()
        return bench
    }

    @Test("every option but those of the plain answers is offered by name, with its rule and where it is written")
    func offered() throws {
        #expect(
            try Self.asked().requests[0].head.offers == [
                Offer(id: "other", label: "Yes, slowly", scope: .once),
                Offer(id: "always", label: "Always", rule: "deploy *", scope: .project),
                Offer(id: "never", label: "never", scope: .agent, effect: .deny),
            ])
    }

    @Test("a choice comes back as the program's own option, a plain answer as the one for this once")
    func answered() throws {
        for (verdict, answer) in [
            (Decision.Verdict.allow, #"{"decision":"allow","option":"yes"}"#),
            (.allowWith(offer: "other"), #"{"decision":"allow","option":"other"}"#),
            (.allowWith(offer: "always"), #"{"decision":"allow","option":"always"}"#),
            (.deny(message: "no!"), #"{"decision":"deny","message":"no!","option":"no"}"#),
            (.denyWith(offer: "never", message: "no!"), #"{"decision":"deny","message":"no!","option":"never"}"#),
        ] {
            var bench = try Self.asked()
            try bench.decide(verdict)
            #expect(bench.take().last == "1: " + answer)
        }
    }

    @Test("the texts that it names may be edited, and it goes on with what it is handed")
    func edited() throws {
        let input =
            #""kind":"tool","tool":"Run","input":{"n":1.0,"command":"ls","path":"/a","content":"x"},"#
            + #""editable":["command","n","path"]"#
        var bench = LocalBench()
        try bench.ask("q1", input)
        #expect(bench.requests[0].head.editable == ["command", "path"])
        let approval = bench.requests[0].head.approval
        #expect(throws: EditError.risky) { try bench.adapter.edited(approval, by: #"{"path":"/b"}"#) }
        #expect(throws: EditError.malformed) { try bench.adapter.edited(approval, by: #"{"content":"y"}"#) }
        _ = bench.take()
        try bench.decide(.allowEdited(#"{"command":"ls -a"}"#))
        let handed = #"{"decision":"allow","input":{"n":1.0,"command":"ls -a","path":"/a","content":"x"}}"#
        #expect(bench.take().last == "1: " + handed)
        try bench.settle("ran")
        #expect(bench.take().contains { $0.contains("applied") })
        try bench.ask("q2", input.replacing(#""ls""#, with: #""curl -H 'X: ghp_16C7e42F292c6912E7710c838347Ae178B4a' x""#))
        #expect(bench.requests.last?.head.editable == [])
    }

    @Test("where none allows once there is no plain allow, and the others can be chosen")
    func onlyAlways() throws {
        var bench = try Self.asked(#""options":[{"id":"always","kind":"allow_always"}]"#)
        try bench.decide(.allowWith(offer: "always"))
        #expect(bench.take().last == #"1: {"decision":"allow","option":"always"}"#)
    }

    @Test(
        "options that could be taken for one another, or that say two things, are refused",
        arguments: [
            #"{"id":"yes","kind":"allow_once"},{"id":"yes","kind":"allow_always"}"#,
            #"{"id":"yes","kind":"allow_once","scope":"user"}"#, #"{"id":"yes","kind":"allow_always","scope":"once"}"#,
        ])
    func unclear(_ options: String) throws {
        var bench = LocalBench()
        #expect(throws: LocalError.self) { try bench.ask("q1", Self.tool + #","options":["# + options + "]") }
    }
}
