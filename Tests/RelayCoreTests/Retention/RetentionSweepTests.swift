import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("A sweep of retention")
struct RetentionSweepTests {
    typealias P = PartTranscript

    private func sessions(_ states: SessionState...) -> Sessions {
        let log = LogState(sessions: states.map { (SessionKey(workspace: P.home, session: $0.summary.session), $0) })
        return Sessions(restoring: log, Quotas())
    }

    private func step(
        _ sweep: inout RetentionSweep, _ sessions: Sessions, at time: Int64, followed: Set<SessionKey> = [],
        staged: Set<SessionKey> = [], _ orders: inout Orders
    ) -> [String] {
        let step = sweep.step(
            aged: time, of: sessions, isFollowed: { followed.contains($0) }, isStaged: { staged.contains($0) }, &orders)
        if !step.trims.isEmpty { sweep.committed(step.removals, &orders) }
        return step.trims.map { "\($0.key.session) through \($0.through)" + ($0.state == nil ? "" : " of more") }
    }

    @Test("the longest untouched goes first; what is followed or being written to stays")
    func whoGoes() throws {
        var sweep = RetentionSweep(Allowances(Quotas(), ageMax: 10))
        var orders = Orders()
        let sessions = sessions(
            P.state("a", seq: 2, touchedAt: 3), P.state("b", seq: 2, touchedAt: 1), P.state("c", seq: 2, touchedAt: 95),
            P.state("d", seq: 2, touchedAt: 2), P.state("e", seq: 2, touchedAt: 2))
        sweep.fallsDue()
        let gone = step(&sweep, sessions, at: 100, followed: [P.key("d")], staged: [P.key("e")], &orders)
        #expect(gone == ["b through 2", "a through 2"])
        #expect(try orders.said() == ["removed age 2/4"])
        #expect(!sweep.isDue)
    }

    @Test("a long session goes in steps, and what went is told when all of it has gone")
    func steps() throws {
        var sweep = RetentionSweep(Allowances(Quotas(), ageMax: 10))
        var orders = Orders()
        let long = Limits.trimmedEventsMax + 5
        let name = P.key("a")
        var state = P.state("a", seq: long)
        state.summary.first = 1
        sweep.fallsDue()
        #expect(step(&sweep, sessions(state), at: 100, &orders) == ["\(name.session) through \(long - 5) of more"])
        #expect(try orders.said() == ["arm trim \(Limits.trimInterval)"])
        state.summary.first = long - 4
        sweep.fallsDue()
        #expect(step(&sweep, sessions(state), at: 100, &orders) == ["\(name.session) through \(long)"])
        #expect(try orders.said() == ["removed age 1/\(long)"])
    }

    @Test("a host that names thousands of sessions makes it look once in a while")
    func room() {
        var sweep = RetentionSweep(Allowances(Quotas()))
        var orders = Orders()
        sweep.roomIsSought(at: Instant(wall: 0, uptime: 0))
        #expect(sweep.isDue)
        _ = step(&sweep, sessions(), at: 0, &orders)
        sweep.roomIsSought(at: Instant(wall: 0, uptime: Limits.trimInterval - 1))
        #expect(!sweep.isDue)
        sweep.roomIsSought(at: Instant(wall: 0, uptime: Limits.trimInterval))
        #expect(sweep.isDue)
    }
}
