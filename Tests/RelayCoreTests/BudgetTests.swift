import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Budgets")
struct BudgetTests {
    typealias T = RelayTranscript

    static let other = SessionID("s2")!
    static let dayLength: Int64 = 24 * 60 * 60 * 1000

    /// A relay with one host and its session s1, and a client that watches.
    struct Bench {
        let t: RelayTranscript
        var host: PeerID
        var client: PeerID
        private var sent: [SessionID: Int64] = [:]
        private var commands = 0

        init(_ t: RelayTranscript = T(), sent: [SessionID: Int64] = [:], capabilities: Set<Capability> = [.hold]) {
            self.t = t
            self.sent = sent
            host = t.host(capabilities: capabilities)
            client = t.client()
            t.command(.subscribe(nil, after: nil), id: "sub", by: client)
            if sent.isEmpty { say([T.started]) }
            _ = t.take(client)
        }

        /// Sends a host's events and stores them.
        mutating func say(_ heads: [EventHead], in session: SessionID = T.session) {
            stage(heads, in: session)
            t.commit()
        }

        mutating func stage(_ heads: [EventHead], in session: SessionID = T.session) {
            t.send(heads, to: session, first: sent[session, default: 0] + 1, by: host)
            sent[session, default: 0] += Int64(heads.count)
        }

        /// The disk refuses the batch: the host reconnects and sends it again from the last acknowledgement.
        mutating func fail() {
            let before = sent
            t.failCommit()
            sent = before
            host = t.host(capabilities: [.hold])
        }

        mutating func forget(_ count: Int64, of session: SessionID = T.session) { sent[session, default: 0] -= count }

        @discardableResult
        mutating func set(
            _ scope: Budget.Scope, _ microUSD: Int64, levels: [Int64] = Budget.defaultLevels, holds: Bool = false
        ) -> [String] {
            commands += 1
            _ = t.take(client)
            t.command(
                .budget(Budget(scope: scope, microUSD: microUSD, levels: levels, holds: holds)), id: "b\(commands)", by: client)
            t.commit()
            return t.take(client).filter { $0.contains("\"reply\"") }
        }

        func reports() throws -> [BudgetReport] {
            _ = t.take(client)
            t.command(.budgets, id: "list", by: client)
            let reply = try JSONDocument(parsing: #require(t.take(client).first)).root
            var reports: [BudgetReport] = []
            for entry in try reply.array("budgets") { reports.append(try BudgetReport(from: entry)) }
            return reports
        }

        /// Every crossing in a session's log, as `level scope spent/limit`.
        func crossings(_ session: SessionID = T.session) throws -> [String] {
            try (t.log[SessionKey(workspace: T.home.id, session: session)] ?? []).compactMap { bytes in
                guard case .budgetCrossed(let crossing) = try Event(stored: bytes).head else { return nil }
                return "\(crossing.level) \(crossing.scope?.rawValue ?? "?") "
                    + "\(crossing.spentMicroUSD ?? -1)/\(crossing.limitMicroUSD ?? -1)"
            }
        }

        func mark(_ session: SessionID = T.session) -> BudgetMark? {
            t.relay.shown[SessionKey(workspace: T.home.id, session: session)]?.state.summary.budget
        }

        /// Holds sent to the host since.
        func holds() throws -> [Holds] {
            try t.take(host).compactMap {
                guard case .hold(let holds) = try MessageToHost(parsing: Array($0.utf8)) else { return nil }
                return holds
            }
        }

        /// A bench with the same disk, after a restart of the relay.
        func restarted() -> Bench {
            let next = T(state: t.state)
            next.resume(t)
            next.clockOffset = t.clockOffset
            return Bench(next, sent: sent)
        }
    }

    static func usage(_ cost: Int64, run: String? = "r1") -> EventHead {
        var usage = Usage()
        usage.run = run
        usage.costMicroUSD = cost
        return .usage(usage)
    }

    // MARK: - Setting

    @Test("a budget is set when it is on disk, and listed from then on")
    func set() throws {
        var bench = Bench()
        bench.t.command(.budget(Budget(scope: .session(T.session), microUSD: 1_000)), id: "b", by: bench.client)
        bench.t.handle(.tickEnded)
        #expect(bench.t.take(bench.client) == [])
        #expect(try bench.reports() == [], "nothing is shown before it is on disk")
        bench.t.finishCommit()
        #expect(bench.t.take(bench.client) == [#"{"type":"reply","id":"b"}"#])
        bench.set(.day, 5_000, levels: [90], holds: true)
        #expect(
            try bench.reports() == [
                BudgetReport(
                    Budget(scope: .day, microUSD: 5_000, levels: [90], holds: true), spentMicroUSD: 0, crossed: nil,
                    day: "1970-01-01"),
                BudgetReport(Budget(scope: .session(T.session), microUSD: 1_000), spentMicroUSD: 0, crossed: nil),
            ])
        bench.set(.day, 0)
        bench.set(.session(T.session), 0)
        #expect(try bench.reports() == [])
        #expect(bench.t.records.isEmpty)
    }

    @Test("what the disk does not take is not set")
    func refusedByDisk() throws {
        let bench = Bench()
        bench.t.command(.budget(Budget(scope: .everySession, microUSD: 1_000)), id: "b", by: bench.client)
        bench.t.failCommit()
        #expect(bench.t.take(bench.client).contains { $0.contains("unavailable") })
        #expect(try bench.reports() == [])
    }

    @Test("a session that is not there has no budget, nor has one session too many")
    func refused() {
        var bench = Bench()
        #expect(bench.set(.session(Self.other), 1).first?.contains("notFound") == true)
        for number in 0...Limits.budgetsMax { bench.stage([T.started], in: SessionID("n\(number)")!) }
        bench.t.commit()
        for number in 0..<Limits.budgetsMax {
            #expect(bench.set(.session(SessionID("n\(number)")!), 9).first?.contains("error") == false)
        }
        #expect(bench.set(.session(SessionID("n\(Limits.budgetsMax)")!), 9).first?.contains("tooMany") == true)
        #expect(bench.set(.session(SessionID("n0")!), 10).first?.contains("error") == false, "it has one already")
    }

    // MARK: - Crossing

    @Test("each level is crossed once, whatever repeats and resets")
    func onceEach() throws {
        var bench = Bench()
        bench.set(.session(T.session), 1_000)
        bench.say([Self.usage(499)])
        #expect(try bench.crossings() == [] && bench.mark() == nil)
        bench.say([Self.usage(500), Self.usage(500), Self.usage(400), Self.usage(700)])
        // The tick ended at 700, which was the spending at the crossing.
        #expect(try bench.crossings() == ["50 session 700/1000"])
        #expect(bench.mark() == BudgetMark(level: 50, microUSD: 1_000, isHeld: false))
        // Another run begins at zero, and adds to the total.
        bench.say([Self.usage(50, run: "r2"), Self.usage(99, run: "r2")])
        bench.say([Self.usage(99, run: "r2")])
        #expect(try bench.crossings().count == 1)
        bench.say([Self.usage(100, run: "r2")])
        bench.say([Self.usage(100_000, run: "r2"), Self.usage(100, run: "r2")])
        bench.say([Self.usage(200_000, run: "r2")])
        #expect(try bench.crossings() == ["50 session 700/1000", "80 session 800/1000", "100 session 100700/1000"])
        #expect(bench.mark() == BudgetMark(level: 100, microUSD: 1_000, isHeld: false))
    }

    @Test("one step over several levels crosses each, lowest first, in one record")
    func severalLevels() throws {
        var bench = Bench()
        bench.set(.everySession, 100, levels: [10, 200, 1_000])
        bench.stage([Self.usage(300)])
        bench.t.handle(.tickEnded)
        #expect(bench.t.pendingBatch?.records.count { $0.kind == .budget } == 1)
        #expect(bench.t.pendingBatch?.appends.first?.events.map(\.kind) == ["usage", "budget.crossed", "budget.crossed"])
        bench.t.finishCommit()
        #expect(try bench.crossings() == ["10 everySession 300/100", "200 everySession 300/100"])
    }

    @Test("a session's own budget takes the place of every session's")
    func ownBudget() throws {
        var bench = Bench()
        bench.say([T.started], in: Self.other)
        bench.set(.everySession, 100)
        bench.set(.session(T.session), 1_000)
        bench.say([Self.usage(100)])
        bench.say([Self.usage(100)], in: Self.other)
        #expect(try bench.crossings() == [])
        #expect(try bench.crossings(Self.other).count == 3)
        #expect(try bench.reports().map(\.spentMicroUSD) == [100, 100])
        bench.set(.session(T.session), 0)
        #expect(bench.mark()?.level == 100, "now every session's budget is its own")
        bench.say([Self.usage(101)])
        #expect(try bench.crossings() == [], "what was spent before crosses nothing")
    }

    @Test("the workspace's budget counts from when it was set, over all sessions")
    func workspace() throws {
        var bench = Bench()
        bench.say([Self.usage(5_000)])
        bench.set(.workspace, 1_000)
        bench.say([Self.usage(5_400)])
        bench.say([T.started, Self.usage(99)], in: Self.other)
        #expect(try bench.crossings() == [] && bench.crossings(Self.other) == [])
        bench.say([Self.usage(100)], in: Self.other)
        #expect(try bench.crossings(Self.other) == ["50 workspace 500/1000"])
        #expect(bench.mark()?.level == 50, "it concerns all")
        bench.set(.workspace, 2_000)
        #expect(try bench.reports().map(\.spentMicroUSD) == [500], "what is spent stays spent")
        bench.set(.workspace, 0)
        bench.set(.workspace, 1_000)
        #expect(try bench.reports().map(\.spentMicroUSD) == [0])
    }

    @Test("a session that was spent when retention removed it is held when its host goes on with it")
    func removedAndHeld() throws {
        var bench = Bench(T(retention: Retention(ageMax: Self.dayLength)))
        bench.set(.everySession, 1_000, holds: true)
        bench.say([Self.usage(1_000), .sessionEnded(reason: nil, failed: false)])
        bench.t.now += 2 * Self.dayLength
        bench.t.fire(.housekeeping)
        bench.t.settle()
        #expect(bench.t.states.isEmpty)
        _ = try bench.holds()
        bench.say([.message(.assistant, summary: "more")])
        #expect(try bench.holds() == [Holds(sessions: [T.session])])
    }

    @Test("what a session cost that retention removed counts once, when its host goes on with it", arguments: [false, true])
    func removedAndResumed(afterRestart: Bool) throws {
        var bench = Bench(T(retention: Retention(ageMax: Self.dayLength)))
        bench.set(.workspace, 1_000)
        bench.set(.everySession, 1_000)
        bench.say([Self.usage(600), .sessionEnded(reason: nil, failed: false)])
        bench.t.handle(.disconnected(bench.client))
        bench.t.now += 2 * Self.dayLength
        bench.t.fire(.housekeeping)
        bench.t.settle()
        #expect(bench.t.states.isEmpty)
        if afterRestart {
            bench = bench.restarted()
        } else {
            bench.client = bench.t.client()
        }
        bench.say([Self.usage(700)])
        #expect(try bench.reports().map(\.spentMicroUSD) == [700, 700])
        #expect(try bench.crossings() == [])
        bench.say([Self.usage(800)])
        #expect(try bench.crossings() == ["80 everySession 800/1000", "80 workspace 800/1000"])
    }

    @Test("what is taken away and set anew in one tick goes on as if it were replaced")
    func replacedAtOnce() throws {
        var bench = Bench()
        bench.set(.workspace, 1_000)
        bench.say([Self.usage(600)])
        for (number, amount) in [0, 2_000, 0, 1_500].enumerated() {
            bench.t.command(.budget(Budget(scope: .workspace, microUSD: Int64(amount))), id: "w\(number)", by: bench.client)
        }
        bench.t.handle(.tickEnded)
        #expect(bench.t.pendingBatch?.records.count == 1)
        bench.t.finishCommit()
        #expect(bench.t.take(bench.client).filter { $0.contains("\"reply\"") }.count == 4)
        #expect(try bench.reports().map(\.spentMicroUSD) == [600])
    }

    @Test("the day's budget counts all sessions from midnight, UTC, also what was spent before it was set")
    func day() throws {
        var bench = Bench()
        bench.t.clockOffset = Self.dayLength * 20_778 - bench.t.now
        bench.say([Self.usage(400)])
        bench.set(.day, 1_000)
        #expect(
            try bench.reports() == [
                BudgetReport(Budget(scope: .day, microUSD: 1_000), spentMicroUSD: 400, crossed: nil, day: "2026-11-21")
            ])
        bench.say([T.started, Self.usage(100)], in: Self.other)
        #expect(try bench.crossings(Self.other) == ["50 day 500/1000"])
        bench.t.clockOffset += Self.dayLength
        _ = bench.t.take(bench.client)
        bench.t.handle(.tickEnded)
        #expect(bench.mark() == nil && bench.mark(Self.other) == nil)
        #expect(bench.t.take(bench.client).count == 2, "both summaries")
        #expect(try bench.reports().first?.day == "2026-11-22")
        bench.say([Self.usage(899)])
        #expect(try bench.crossings() == [])
        bench.say([Self.usage(900)])
        #expect(try bench.crossings() == ["50 day 500/1000"])
    }

    @Test("a clock that is set back finds the day as it was left; so does one that returns from far ahead")
    func clockJumps() throws {
        var bench = Bench()
        let morning = Self.dayLength * 20_778 - bench.t.now
        bench.t.clockOffset = morning
        bench.set(.day, 1_000)
        bench.say([Self.usage(600)])
        for jump in [Self.dayLength, 3_650 * Self.dayLength, -Self.dayLength, 1] {
            bench.t.clockOffset = morning + jump
            bench.t.handle(.tickEnded)
            bench.t.clockOffset = morning
            bench.t.handle(.tickEnded)
        }
        bench.say([Self.usage(700)])
        #expect(try bench.crossings() == ["50 day 600/1000"])
        bench.t.clockOffset = morning + Self.dayLength
        bench.say([Self.usage(1_250)])
        bench.t.clockOffset = morning
        bench.say([Self.usage(1_350)])
        #expect(try bench.crossings() == ["50 day 600/1000", "50 day 550/1000", "80 day 800/1000"])
        #expect(try bench.restarted().reports().map(\.spentMicroUSD) == [800])
    }

    @Test("no more than a month of days is kept, and never today's")
    func days() throws {
        var bench = Bench()
        bench.set(.day, 1_000_000)
        for day in 0..<Int64(100) {
            bench.t.clockOffset = day * Self.dayLength
            bench.say([Self.usage(10 * (day + 1))])
        }
        #expect(bench.t.records.values.count { $0.kind == .budget } == Limits.budgetDaysMax + 1)
        #expect(try bench.reports().map(\.spentMicroUSD) == [10])
    }

    // MARK: - Over failures

    @Test("a crossing that is on disk is not told again after a restart, nor is one that is not")
    func restart() throws {
        var bench = Bench()
        bench.set(.session(T.session), 1_000, holds: true)
        bench.set(.day, 2_000)
        bench.set(.workspace, 4_000)
        bench.say([Self.usage(1_000)])
        let told = try bench.crossings()
        #expect(told == ["50 session 1000/1000", "80 session 1000/1000", "100 session 1000/1000", "50 day 1000/2000"])
        let before = try bench.reports()
        bench = bench.restarted()
        #expect(try bench.reports() == before)
        #expect(bench.mark() == BudgetMark(level: 100, microUSD: 1_000, isHeld: true))
        #expect(try bench.holds() == [Holds(sessions: [T.session])])
        bench.say([Self.usage(1_000), Self.usage(1_010)])
        #expect(try bench.crossings() == told)
        // A batch that was never on disk: its crossing comes with what the host sends again.
        bench.stage([Self.usage(1_600)])
        bench.t.handle(.tickEnded)
        bench = bench.restarted()
        bench.forget(1)
        #expect(try bench.crossings() == told)
        bench.say([Self.usage(1_600)])
        #expect(try bench.crossings() == told + ["80 day 1600/2000"])
    }

    @Test("a commit that fails neither loses a crossing nor repeats it")
    func commitFailed() throws {
        var bench = Bench()
        bench.set(.everySession, 1_000, holds: true)
        bench.set(.workspace, 1_000)
        _ = try bench.holds()
        bench.stage([Self.usage(500)])
        bench.fail()
        #expect(bench.mark() == nil)
        #expect(try bench.crossings() == [] && bench.reports().map(\.spentMicroUSD) == [0, 0])
        bench.forget(1)
        bench.say([Self.usage(500)])
        #expect(try bench.crossings() == ["50 everySession 500/1000", "50 workspace 500/1000"])
        bench.stage([Self.usage(1_000)])
        bench.fail()
        bench.forget(1)
        #expect(try bench.holds() == [Holds()])
        bench.say([Self.usage(1_000)])
        #expect(try bench.holds() == [Holds(sessions: [T.session])])
        #expect(try bench.crossings().count == 6)
    }

    @Test("a raised budget is crossed anew, but only at levels that it is below")
    func raised() throws {
        var bench = Bench()
        bench.set(.session(T.session), 1_000)
        bench.say([Self.usage(800)])
        #expect(try bench.crossings() == ["50 session 800/1000", "80 session 800/1000"])
        bench.set(.session(T.session), 1_500)
        #expect(bench.mark() == BudgetMark(level: 50, microUSD: 1_500, isHeld: false))
        bench.say([Self.usage(1_200)])
        #expect(try bench.crossings().dropFirst(2) == ["80 session 1200/1500"])
        // Lowered: the reply shows that it is spent.
        bench.set(.session(T.session), 100, holds: true)
        #expect(bench.mark() == BudgetMark(level: 100, microUSD: 100, isHeld: true))
        bench.say([Self.usage(1_300)])
        #expect(try bench.crossings().count == 3)
    }

    @Test("a session that retention removes takes its budget along")
    func removed() throws {
        let t = T(retention: Retention(ageMax: 1_000))
        var bench = Bench(t)
        bench.set(.session(T.session), 1_000)
        bench.say([.sessionEnded(reason: nil, failed: false)])
        t.now += 10_000
        t.handle(.timerFired(.trim))
        t.commit()
        #expect(t.relay.sessions.isEmpty)
        #expect(try bench.reports() == [] && t.records.isEmpty)
    }

    // MARK: - Holding

    @Test("at 100 % the session's host is told to hold, and told otherwise when the budget is raised or taken away")
    func hold() throws {
        var bench = Bench()
        bench.set(.session(T.session), 1_000, levels: [50], holds: true)
        #expect(try bench.holds() == [Holds()], "what it may remember of another time")
        bench.stage([Self.usage(1_000)])
        bench.t.handle(.tickEnded)
        #expect(try bench.holds() == [])
        bench.t.finishCommit()
        #expect(try bench.holds() == [Holds(sessions: [T.session])])
        #expect(bench.mark() == BudgetMark(level: 50, microUSD: 1_000, isHeld: true))
        bench.say([Self.usage(1_001)])
        #expect(try bench.holds() == [])
        bench.set(.session(T.session), 2_000, holds: true)
        #expect(try bench.holds() == [Holds()])
        bench.set(.session(T.session), 500, holds: true)
        #expect(try bench.holds() == [Holds(sessions: [T.session])])
        bench.set(.session(T.session), 0)
        #expect(try bench.holds() == [Holds()] && bench.mark() == nil)
    }

    @Test("a host that was away is told when it is back, whatever changed")
    func holdOnReconnect() throws {
        var bench = Bench()
        bench.set(.everySession, 1_000, holds: true)
        bench.say([Self.usage(1_000)])
        bench.t.handle(.disconnected(bench.host))
        bench.host = bench.t.host(capabilities: [.hold])
        #expect(try bench.holds() == [Holds(sessions: [T.session])])
        bench.t.handle(.disconnected(bench.host))
        bench.set(.everySession, 0)
        bench.host = bench.t.host(capabilities: [.hold])
        #expect(try bench.holds() == [Holds()])
    }

    @Test("a day that is spent holds every session of every host, also those to come, until midnight")
    func holdDay() throws {
        var bench = Bench()
        let desktop = bench.t.host("desktop", capabilities: [.hold])
        bench.set(.day, 1_000, holds: true)
        _ = bench.t.take(desktop)
        bench.say([Self.usage(1_000)])
        #expect(try bench.holds().last == Holds(everySession: true))
        #expect(bench.t.take(desktop) == [#"{"type":"hold","everySession":true,"sessions":[]}"#])
        bench.say([T.started], in: Self.other)
        #expect(bench.mark(Self.other) == BudgetMark(level: 100, microUSD: 1_000, isHeld: true))
        bench.say([.sessionEnded(reason: nil, failed: false)], in: Self.other)
        #expect(bench.mark(Self.other) == nil, "what is over concerns the day no more")
        bench.t.clockOffset += Self.dayLength
        bench.t.handle(.tickEnded)
        #expect(try bench.holds() == [Holds()])
        #expect(bench.t.take(desktop).count == 1)
    }

    @Test("a day that is spent holds nothing after midnight, though nobody says anything")
    func midnight() throws {
        var bench = Bench(T(clockOffset: Self.dayLength - 1_000_000 - 90_000))
        bench.set(.day, 1_000, holds: true)
        bench.say([Self.usage(1_000)])
        bench.t.pass(89_999)
        #expect(try bench.holds().last == Holds(everySession: true))
        _ = bench.t.take(bench.client)
        bench.t.pass(1)
        #expect(bench.mark() == nil)
        #expect(try bench.holds() == [Holds()])
        #expect(bench.t.take(bench.client).count == 1, "its summary")
        #expect(bench.t.deadlines[.dayEnd] == bench.t.now + Self.dayLength, "the next day ends, too")
    }

    @Test("midnight waits for the batch under way, whose sessions are of the day before")
    func midnightWhileCommitting() throws {
        var bench = Bench(T(clockOffset: Self.dayLength - 1_000_000 - 1_000))
        bench.set(.day, 1_000, holds: true)
        _ = try bench.holds()
        bench.stage([Self.usage(1_000)])
        bench.t.handle(.tickEnded)
        bench.t.now += 1_000
        bench.t.fire(.dayEnd)
        #expect(try bench.holds() == [])
        bench.t.finishCommit()
        #expect(try bench.holds().last == Holds())
        #expect(bench.mark() == nil)
        #expect(try bench.reports().map(\.spentMicroUSD) == [0])
    }

    @Test("a clock that is set while nothing happens moves midnight")
    func clockSetBeforeMidnight() {
        let bench = Bench(T(clockOffset: Self.dayLength - 1_000_000 - 90_000))
        #expect(bench.t.deadlines[.dayEnd] == bench.t.now + 90_000)
        bench.t.clockOffset -= 60_000
        bench.t.fire(.housekeeping)
        #expect(bench.t.deadlines[.dayEnd] == bench.t.now + 150_000)
    }

    @Test("a host that cannot hold is told nothing, and named to whoever looks")
    func cannotHold() throws {
        var bench = Bench(capabilities: [.steer])
        _ = bench.t.host("desktop", capabilities: [.hold])
        bench.set(.everySession, 1_000, holds: true)
        bench.set(.session(T.session), 1_000, holds: true)
        bench.set(.day, 1_000)
        bench.say([Self.usage(1_000)])
        #expect(try bench.holds() == [])
        #expect(try bench.reports().map(\.cannotHold) == [["laptop"], [], ["laptop"]])
    }

    @Test("workspaces know nothing of each other's budgets")
    func wall() throws {
        var bench = Bench()
        let work = Named(id: WorkspaceID("work")!, name: "work")
        let host = bench.t.host("tower", in: work.id, capabilities: [.hold])
        let client = bench.t.client("desk", in: work)
        _ = bench.t.take(host)
        bench.t.send([T.started, Self.usage(5_000)], first: 1, by: host)
        bench.set(.workspace, 1_000, holds: true)
        bench.set(.day, 1_000, holds: true)
        bench.t.send([Self.usage(9_000)], first: 3, by: host)
        bench.t.commit()
        bench.say([Self.usage(1_000)])
        #expect(!bench.t.take(host).contains { $0.contains("hold") })
        _ = bench.t.take(client)
        bench.t.command(.budgets, id: "list", by: client)
        #expect(bench.t.take(client) == [#"{"type":"reply","id":"list","budgets":[]}"#])
    }

    @Test(
        "days have the names that calendars give them",
        arguments: [
            (0, "1970-01-01"), (59, "1970-03-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (11_017, "2000-03-01"),
            (20_778, "2026-11-21"), (47_540, "2100-02-28"), (47_541, "2100-03-01"), (-25_509, "1900-02-28"),
            (-25_508, "1900-03-01"),
        ])
    func dayNames(_ number: Int64, _ name: String) {
        #expect("\(UTCDay(number: number))" == name)
        #expect(UTCDay(at: number * Self.dayLength) == UTCDay(number: number))
        #expect(UTCDay(at: (number + 1) * Self.dayLength - 1) == UTCDay(number: number))
    }
}
