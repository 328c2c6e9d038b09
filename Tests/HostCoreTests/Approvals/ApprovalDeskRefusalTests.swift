import RelayProtocol
import Testing

@testable import HostCore

@Suite("The approval desk, when a decision was refused before it")
struct ApprovalDeskRefusalTests {
    private static func refused(_ bench: DeskBench, session: SessionID = DeskBench.session) -> ApprovalFact<PlainForm> {
        .refused(session, bench.shown, reason: "unsigned")
    }

    @Test("the approval is stale with the reason, and the agent's own prompt stays")
    func open() {
        var bench = DeskBench()
        _ = bench.ask()
        #expect(bench.tell(Self.refused(bench)) == ["stale unsigned", "forget", "hook 1: no decision"])
        #expect(bench.decide(.allow) == [], "its end is on its way to the relay")
    }

    @Test("a hook that is away and calls again gets no decision")
    func away() {
        for isRestarted in [true, false] {
            var bench = DeskBench()
            _ = bench.ask()
            if isRestarted { _ = bench.restart() } else { _ = bench.hookGone() }
            #expect(bench.tell(Self.refused(bench)) == ["stale unsigned", "forget"])
            #expect(bench.ask(token: 2, attempt: 2) == ["hook 2: no decision"])
        }
    }

    @Test("a decision that was taken before stays: handed over, kept for the hook, or handed over by an earlier life")
    func decidedBefore() {
        var bench = DeskBench()
        _ = bench.ask()
        _ = bench.decide(.allow)
        #expect(bench.tell(Self.refused(bench)) == [])
        #expect(bench.show(.carriedOut(answers: nil, failed: false)) == ["applied ran", "forget"])

        bench = DeskBench()
        _ = bench.ask()
        _ = bench.restart()
        _ = bench.decide(.deny(message: "no"))
        #expect(bench.tell(Self.refused(bench)) == [])
        #expect(bench.ask(token: 2, attempt: 2) == ["remember", "hook 2: deny: no"])
        _ = bench.restart()
        #expect(bench.tell(Self.refused(bench)) == [])
        #expect(bench.ask(token: 3, attempt: 3) == ["remember", "hook 3: deny: no"])
    }

    @Test("one that the desk does not have is reported as a decision for it would be")
    func unknown() {
        var bench = DeskBench()
        _ = bench.ask()
        #expect(bench.tell(Self.refused(bench, session: SessionID("plain-other")!)) == ["stale unknownApproval"])
        _ = bench.pass(.seconds(600))
        #expect(bench.tell(Self.refused(bench)) == ["stale expired"])
        #expect(bench.tell(Self.refused(bench)) == [], "its end was reported just now")
    }
}
