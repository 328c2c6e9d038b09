import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Costs")
struct CostTests {
    typealias T = RelayTranscript

    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour
    /// Noon of the tenth day of 1970.
    private static let noon = 9 * day + 12 * hour

    /// A relay at noon, with a host and a client.
    private struct Bench {
        let t: RelayTranscript
        private let host: PeerID
        let client: PeerID
        private var sent: [SessionID: Int64]
        private var asked = 0

        init(_ t: RelayTranscript = T(now: CostTests.noon), sent: [SessionID: Int64] = [:], hostName: String = "laptop") {
            self.t = t
            self.sent = sent
            host = t.host(capabilities: [])
            client = t.client()
        }

        mutating func say(_ heads: [EventHead], at times: [Int64], in session: SessionID = T.session, commits: Bool = true) {
            let events = zip(heads, times).map { Event($0, at: $1) }
            t.send(events: events, to: session, first: sent[session, default: 0] + 1, by: host)
            sent[session, default: 0] += Int64(events.count)
            if commits { t.commit() }
        }

        mutating func start(_ session: SessionID = T.session, project: String? = "shop", agent: String = "claude-code") {
            var facts = SessionFacts(agentName: agent)
            facts.project = project
            say([.sessionStarted(facts)], at: [CostTests.noon], in: session)
        }

        mutating func report(days: [Int64] = [9 * CostTests.day], until: Int64 = 10 * CostTests.day, sessions: Int64 = 10)
            throws -> CostReport
        {
            asked += 1
            _ = t.take(client)
            t.command(.costs(CostQuery(days: days, until: until, sessions: sessions)), id: "c\(asked)", by: client)
            let reply = try JSONDocument(parsing: #require(t.take(client).last)).root
            return try CostReport(from: reply.required("costs"))
        }
    }

    private static func usage(
        _ cost: Int64?, model: String = "opus", tokens: Tokens? = nil, estimate: Int64? = nil, run: String = "r1"
    ) -> EventHead {
        var usage = Usage()
        (usage.run, usage.model, usage.costMicroUSD, usage.tokens, usage.estimateMicroUSD) = (
            run, model, cost, tokens, estimate
        )
        return .usage(usage)
    }

    @Test("what each event adds is counted for its model, on the day that it names, also where they come at once")
    func events() throws {
        var bench = Bench()
        bench.start()
        bench.say(
            [Self.usage(100), Self.usage(150, model: "haiku"), Self.usage(150), Self.usage(400), Self.usage(30, run: "r2")],
            at: [8 * Self.day, 8 * Self.day + Self.hour, Self.noon - 3 * Self.hour, Self.noon - Self.hour / 2, Self.noon])
        // Days of a person two hours east of UTC: the first event belongs to the day that ends there at 22:00 UTC.
        let east = -2 * Self.hour
        let report = try bench.report(days: [8 * Self.day + east, 9 * Self.day + east], until: 10 * Self.day + east)
        #expect(report.total.costMicroUSD == 430)
        #expect(
            report.models == [
                .init(name: "opus", sum: CostSum(costMicroUSD: 380)), .init(name: "haiku", sum: CostSum(costMicroUSD: 50)),
            ])
        #expect(report.days.map(\.index) == [0, 1])
        #expect(
            report.days[0].models == [
                .init(model: 0, sum: CostSum(costMicroUSD: 100)), .init(model: 1, sum: CostSum(costMicroUSD: 50)),
            ])
        #expect(report.days[1].models == [.init(model: 0, sum: CostSum(costMicroUSD: 280))])
        #expect(report.lastHourMicroUSD == 280)
        #expect(report.since == 8 * Self.day)
        let none = try bench.report(days: [11 * Self.day], until: 12 * Self.day)
        #expect(none.total == CostSum() && none.days.isEmpty && none.lastHourMicroUSD == 280)
    }

    @Test("a model without a price has tokens and no cost, and a guess stands beside the cost")
    func prices() throws {
        var bench = Bench()
        bench.start()
        let tokens = Tokens(input: 10, output: 20, cacheRead: 30, cacheWrite: 40)
        bench.say([Self.usage(nil, model: "own", tokens: tokens)], at: [Self.noon])
        #expect(try bench.report().total == CostSum(tokens: tokens, unpricedTokens: 100))
        bench.say([Self.usage(nil, model: "own", estimate: 70), Self.usage(0, model: "free")], at: [Self.noon, Self.noon])
        let report = try bench.report()
        #expect(report.total == CostSum(costMicroUSD: 0, estimateMicroUSD: 70, tokens: tokens))
        #expect(
            report.models == [
                .init(name: "own", sum: CostSum(estimateMicroUSD: 70, tokens: tokens)),
                .init(name: "free", sum: CostSum(costMicroUSD: 0)),
            ])
    }

    @Test("tokens without a price are counted beside the cost of others, also where a list has both")
    func unpriced() throws {
        var bench = Bench()
        bench.start()
        let (known, unknown) = (Tokens(input: 3), Tokens(input: 90_000_000))
        bench.say(
            [Self.usage(7, tokens: known, run: "r1"), Self.usage(nil, model: "mystery", tokens: unknown, run: "r2")],
            at: [Self.noon, Self.noon])
        let report = try bench.report()
        let both = CostSum(costMicroUSD: 7, tokens: known.plus(unknown), unpricedTokens: 90_000_000)
        #expect(report.total == both && report.projects.map(\.sum) == [both] && report.sessions.map(\.sum) == [both])
        #expect(report.models.map(\.name) == ["mystery", "opus"], "by what it may have cost")
        #expect(report.models.map(\.sum.unpricedTokens) == [90_000_000, 0])
        #expect(report.days[0].models.map(\.sum.unpricedTokens) == [90_000_000, 0])
    }

    @Test("the pace of the last hour is that of its whole quarters")
    func pace() throws {
        var bench = Bench(T(now: Self.noon + 59 * 60_000))
        bench.start()
        // A dollar a minute from 12:07.
        for minute in Int64(7)..<59 {
            bench.say([Self.usage((minute - 6) * 1_000_000)], at: [Self.noon + minute * 60_000])
        }
        // 12:00 to 12:59 are the quarters that lie within the hour.
        #expect(try bench.report().lastHourMicroUSD == Int64((52.0 * 60 / 59 * 1_000_000).rounded()))
    }

    @Test("by project, host, agent and session, the dearest first")
    func shares() throws {
        var bench = Bench()
        let other = SessionID("s2")!
        bench.start()
        bench.start(other, project: nil, agent: "codex")
        bench.say([Self.usage(5)], at: [Self.noon])
        bench.say([Self.usage(7, model: "gpt")], at: [Self.noon], in: other)
        let report = try bench.report(sessions: 1)
        #expect(report.projects.map(\.name) == [nil, "shop"])
        #expect(report.agents.map(\.name) == ["codex", "claude-code"])
        #expect(report.hosts == [.init(name: "laptop", sum: CostSum(costMicroUSD: 12))])
        let dearest = CostReport.SessionShare(
            session: other, host: "laptop", agent: "codex", project: nil, model: "gpt", sum: CostSum(costMicroUSD: 7))
        #expect(report.sessions == [dearest] && report.sessionCount == 2)
    }

    @Test("what the disk refused is counted when it is sent again, and once")
    func failure() throws {
        var bench = Bench()
        bench.start()
        bench.say([Self.usage(5)], at: [Self.noon], commits: false)
        bench.t.handle(.tickEnded)
        #expect(try bench.report().total == CostSum(), "it is not on disk")
        bench.t.failCommit()
        #expect(try bench.report().total == CostSum())
        var again = Bench(bench.t, sent: [T.session: 1])
        again.say([Self.usage(5), Self.usage(5), Self.usage(3)], at: [Self.noon, Self.noon, Self.noon])
        #expect(try again.report().total.costMicroUSD == 5)
    }

    @Test("after a restart the sums are the same, also of a session that retention has removed")
    func restart() throws {
        var bench = Bench()
        bench.start()
        bench.say([Self.usage(5, tokens: Tokens(input: 3))], at: [Self.noon])
        let before = try bench.report()
        var state = bench.t.state
        let restarted = T(state: state, now: Self.noon)
        restarted.resume(bench.t)
        var again = Bench(restarted, sent: [T.session: 2])
        #expect(try again.report() == before)
        again.say([Self.usage(9)], at: [Self.noon])
        #expect(try again.report().total == CostSum(costMicroUSD: 9, tokens: Tokens(input: 3)))
        state.sessions = []
        var without = Bench(T(state: state, now: Self.noon))
        #expect(try without.report() == before)
    }

    @Test("of sessions from before costs were kept the whole is counted at their last activity, once")
    func older() throws {
        var bench = Bench()
        bench.start()
        bench.say([Self.usage(5)], at: [8 * Self.day])
        var state = bench.t.state
        state.records = []
        let upgraded = T(state: state, now: Self.noon)
        upgraded.commit()
        var counted = Bench(upgraded)
        #expect(try counted.report(days: [9 * Self.day]).total.costMicroUSD == 5)
        state.records = upgraded.state.records
        var again = Bench(T(state: state, now: Self.noon))
        again.t.commit()
        #expect(try again.report(days: [0], until: 10 * Self.day).total.costMicroUSD == 5)
    }

    @Test("what a wrong clock says of the future or of long ago is of now")
    func clocks() {
        let now = 1_000 * Self.day
        #expect(Costs.time(now + 1, now: now) == now)
        #expect(Costs.time(now - 367 * Self.day, now: now) == now)
        #expect(Costs.time(now - 366 * Self.day, now: now) == now - 366 * Self.day)
        #expect(Costs.time(-5, now: 10) == 0)
    }

    @Test("beyond the limit the oldest day goes, as a whole")
    func limit() throws {
        let summary = Summary(
            session: T.session, host: Named(id: HostID("h")!, name: "laptop"), hostIsConnected: true, agentName: "a",
            startedAt: 1)
        let rows = (0..<Limits.costRowsMax).map { number in
            var row = CostRow(.init(day: UTCDay(number: Int64(number / 2)), session: SessionID("s\(number)")!), of: summary)
            row.add(CostSum(costMicroUSD: 1), of: nil, at: Int64(number / 2) * Self.day, in: summary)
            return PushRecord(workspace: T.home.id, kind: .cost, name: row.key.name, bytes: row.bytes)
        }
        var costs = Costs(restoring: rows, sessions: [])
        #expect(costs.damaged.isEmpty)
        let now = Instant(wall: Int64(Limits.costRowsMax) * Self.day, uptime: 0)
        let spending = Spending(key: T.key, at: now.wall, model: nil, sum: CostSum(costMicroUSD: 1))
        costs.add(spending, of: summary, at: now)
        var records: [PushRecord] = []
        costs.keep(&records)
        #expect(records.map(\.name) == ["0/s0", "0/s1", "\(Limits.costRowsMax)/s1"])
        #expect(records.map { $0.bytes == nil } == [true, true, false])
        #expect(costs.committed()?.costMicroUSD == 1)
        let query = CostQuery(days: [0], until: now.wall + 1)
        #expect(costs.report(on: query, in: T.home.id, at: now).total.costMicroUSD == Int64(Limits.costRowsMax) - 1)
    }

    @Test("a removed workspace has no costs")
    func removedWorkspace() throws {
        var bench = Bench()
        bench.start()
        bench.say([Self.usage(5)], at: [Self.noon])
        bench.t.handle(.workspaceRemoved(T.home.id))
        #expect(
            bench.t.relay.costs.report(
                on: CostQuery(days: [0], until: Self.noon + 1), in: T.home.id, at: Instant(wall: Self.noon, uptime: 0)
            ).total == CostSum())
    }
}
