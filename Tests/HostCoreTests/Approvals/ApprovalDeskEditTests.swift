import RelayProtocol
import Testing

@testable import HostCore

/// Calls that a person has edited before allowing them.
@Suite struct ApprovalDeskEditTests {
    private static let input = #"{"command":"make all"}"#
    private static let edit = Decision.Verdict.allowEdited(#"{"command":"make"}"#)
    private static let digest = DeskBench.digests.input(tool: "Run", Array(input.utf8))

    private func bench(_ change: (inout ApprovalQuestion<PlainForm>) -> Void = { _ in }) -> DeskBench {
        var bench = DeskBench()
        _ = bench.tell(.asked(Self.question(change: change)))
        return bench
    }

    private static func question(
        token: UInt64 = 1, attempt: Int = 1, change: (inout ApprovalQuestion<PlainForm>) -> Void = { _ in }
    ) -> ApprovalQuestion<PlainForm> {
        var question = DeskBench.question(input, token: token, attempt: attempt)
        question.form.editable = ["command"]
        question.isEditable = attempt == 1
        change(&question)
        return question
    }

    private func decide(_ bench: inout DeskBench, _ verdict: Decision.Verdict = Self.edit) -> [String] {
        bench.decide(verdict, digest: Self.digest)
    }

    @Test func `the agent gets the edited input, and what ran with it is applied`() {
        var bench = bench()
        #expect(bench.desk[bench.shown]?.editable == ["command"])
        #expect(decide(&bench) == ["remember", #"hook 1: allow {"command":"make"}"#])
        #expect(bench.show(.carriedOut(answers: [("command", "make")], failed: false)).first == "applied ran")
    }

    @Test func `what ran as it was asked was allowed at the terminal`() {
        var bench = bench()
        _ = decide(&bench)
        #expect(bench.show(.carriedOut(answers: [("command", "make all")], failed: false)).first == "stale allowedLocally")
    }

    @Test func `without evidence of its input nothing is applied`() {
        let others: [ApprovalEvidence] = [
            .carriedOut(answers: nil, failed: false), .turnEnded(wentOn: true), .reported(.other),
        ]
        for evidence in others {
            var bench = bench()
            _ = decide(&bench)
            #expect(bench.show(evidence).first == "stale unconfirmed")
        }
    }

    @Test func `an edit that the question does not offer allows nothing, not even what was asked`() {
        let changes: [(inout ApprovalQuestion<PlainForm>) -> Void] = [
            { $0.isEditable = false }, { $0.form.editable = [] }, { $0.form.editable = ["other"] },
        ]
        for change in changes {
            var bench = bench(change)
            #expect(decide(&bench) == ["stale badAnswer", "forget", "hook 1: no decision"])
        }
        for verdict in [Decision.Verdict.allowEdited(""), .allowEdited("{}"), .allowEdited(Self.input)] {
            var bench = bench()
            #expect(decide(&bench, verdict) == ["stale badAnswer", "forget", "hook 1: no decision"])
        }
        var cut = bench { $0.isCut = true }
        #expect(decide(&cut) == ["stale notWhole", "forget", "hook 1: no decision"])
    }

    @Test func `after a restart the same hook gets the edited input again`() {
        var bench = bench()
        _ = decide(&bench)
        _ = bench.restart()
        let again = bench.tell(.asked(Self.question(token: 2, attempt: 2)))
        #expect(again == ["remember", #"hook 2: allow {"command":"make"}"#])
    }

    @Test func `an edit that is too long to keep is not handed over again, and never what was asked in its place`() {
        var bench = bench()
        let long = String(repeating: "x", count: 4_000)
        _ = decide(&bench, .allowEdited(#"{"command":"\#(long)"}"#))
        _ = bench.restart()
        let again = bench.tell(.asked(Self.question(token: 2, attempt: 2)))
        #expect(again == ["stale hostRestarted", "forget", "hook 2: no decision"])
    }

    @Test func `after a restart a question is still one that may be edited`() {
        var bench = bench()
        _ = bench.restart()
        #expect(bench.desk[bench.shown]?.editable == [])
        _ = bench.tell(.asked(Self.question(token: 2, attempt: 2)))
        #expect(bench.desk[bench.shown]?.editable == ["command"])
        #expect(decide(&bench).last == #"hook 2: allow {"command":"make"}"#)
    }
}
