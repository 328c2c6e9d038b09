import RelayProtocol
import Testing

@testable import HeliographClient

@Suite("Budgets on the command line")
struct BudgetTests {
    @Test(
        "dollars are read exactly",
        arguments: [("5", 5_000_000), ("$12.50", 12_500_000), ("0.25", 250_000), ("0.000001", 1), ("007.1", 7_100_000)])
    func dollars(_ text: String, _ amount: Int64) { #expect(BudgetOptions.microUSD(text) == amount) }

    @Test(
        "what is no amount is refused",
        arguments: [
            "", "$", "0", "0.00", "-5", "+5", "5.", ".5", "1e3", "5,00", "0.0000001", "1000000000", "5 ", "٥", "$$5", "nan",
        ])
    func noDollars(_ text: String) { #expect(BudgetOptions.microUSD(text) == nil) }

    @Test("levels ascend", arguments: [("50", [50]), ("1,50,1000", [1, 50, 1_000])])
    func levels(_ text: String, _ levels: [Int64]) { #expect(BudgetOptions.levels(text) == levels) }

    @Test(
        "what are no levels is refused",
        arguments: ["", "50,", "80,50", "50,50", "0", "1001", "50 80", "1,2,3,4,5,6,7,8,9,10,11"])
    func noLevels(_ text: String) { #expect(BudgetOptions.levels(text) == nil) }

    @Test("the table says what is spent, reached and held")
    func table() {
        let reports = [
            BudgetReport(
                Budget(scope: .day, microUSD: 20_000_000, holds: true), spentMicroUSD: 21_500_000, crossed: 100,
                day: "2026-11-21"),
            BudgetReport(
                Budget(scope: .session(SessionID("claude-d51202")!), microUSD: 5_000_000), spentMicroUSD: 0, crossed: nil),
        ]
        let lines = BudgetsTask.table(reports, names: ["claude-d51202": "claude-d5"]).lines(
            width: nil, palette: Palette(isColoured: false))
        #expect(
            lines == [
                "BUDGET                SPENT      OF  REACHED  LEVELS       AT 100 %",
                "day 2026-11-21, UTC  $21.50  $20.00    100 %  50, 80, 100  holds now",
                "session claude-d5     $0.00   $5.00           50, 80, 100  tells",
            ])
    }

    @Test("which sessions cannot be held as a whole is said of the budgets that hold, by the sessions that they concern")
    func reaches() {
        func summary(_ name: String, _ agent: String, _ hold: HoldReach?, ended: Int64? = nil) -> Summary {
            var summary = Summary(
                session: SessionID(name)!, host: Named(id: HostID("h")!, name: "laptop"), hostIsConnected: true,
                agentName: agent,
                startedAt: 1)
            summary.steering = SteeringOffer(hold: hold)
            summary.endedAt = ended
            return summary
        }
        func report(_ scope: Budget.Scope, holds: Bool = true) -> BudgetReport {
            BudgetReport(Budget(scope: scope, microUSD: 5, holds: holds), spentMicroUSD: 0, crossed: nil)
        }
        let sessions = [
            summary("codex-1", "codex", .most), summary("local-1", "Vibe", .unchanged), summary("claude-1", "claude", nil),
            summary("local-2", "Vibe", .unchanged, ended: 5),
        ]
        let part = "held in part: codex-1 (codex): asks about all tools but those that the agent's own rules trust"
        let none = "not held: local-1 (Vibe): asks as before; prompts from clients are refused while the budget is spent"
        func lines(_ reports: BudgetReport...) -> [String] { BudgetsTask.reaches(of: reports, over: sessions) }
        #expect(lines(report(.day)) == [part, none])
        #expect(lines(report(.day, holds: false)) == [])
        #expect(lines(report(.session(SessionID("local-1")!))) == [none])
        #expect(lines(report(.everySession), report(.session(SessionID("local-1")!), holds: false)) == [part])
    }
}
