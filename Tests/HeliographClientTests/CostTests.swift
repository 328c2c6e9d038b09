import RelayProtocol
import Testing

@testable import HeliographClient

@Suite("heliograph cost")
struct CostTests {
    @Test("a day of the calendar is read, counted on over the ends of months and years, and begins at midnight")
    func days() throws {
        let day = try #require(LocalDay("2028-02-28"))
        #expect("\(day.advanced(by: 1))" == "2028-02-29" && "\(day.advanced(by: 2))" == "2028-03-01")
        #expect("\(day.advanced(by: -59))" == "2027-12-31")
        #expect(LocalDay(at: day.begin) == day && LocalDay(at: day.begin - 1) == day.advanced(by: -1))
        #expect(day < day.advanced(by: 1))
    }

    @Test(
        "what is no day is refused",
        arguments: ["2026-02-29", "2026-13-01", "2026-1-01", "yesterday", "", "2026-11-01x", "-026-11-01"])
    func noDay(text: String) { #expect(LocalDay(text) == nil) }

    @Test("the first day is a date, or counted back from today")
    func since() throws {
        let today = try #require(LocalDay("2026-11-28"))
        #expect(CostOptions.since("1d", today: today) == today)
        #expect(CostOptions.since("7d", today: today) == LocalDay("2026-11-22"))
        #expect(CostOptions.since("366d", today: today) == LocalDay("2025-11-28"))
        #expect(CostOptions.since("2026-11-28", today: today) == today)
        for text in ["0d", "367d", "-3d", "2026-11-29", "2025-11-27", "d", "7"] {
            #expect(CostOptions.since(text, today: today) == nil, "\(text)")
        }
    }

    private static var report: CostReport {
        var report = CostReport()
        report.total = CostSum(costMicroUSD: 1_234_567, estimateMicroUSD: 20_000, tokens: Tokens(input: 1_234_567))
        report.models = [
            .init(name: "opus", sum: CostSum(costMicroUSD: 1_234_567, tokens: Tokens(input: 1_234_560))),
            .init(name: nil, sum: CostSum(estimateMicroUSD: 20_000, tokens: Tokens(input: 7))),
        ]
        report.days = [
            .init(index: 1, models: [.init(model: 0, sum: report.models[0].sum), .init(model: 1, sum: report.models[1].sum)])
        ]
        return report
    }

    @Test("a table says what is unknown and what is guessed, and ends with the sum")
    func table() throws {
        let rows = CostTable.rows(of: Self.report, by: .model, days: [])
        let lines = CostTable.table(rows, total: Self.report.total, by: .model) { $0 }.lines(
            width: nil, palette: Palette(isColoured: false))
        let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            words == [
                "MODEL COST GUESSED INPUT OUTPUT CACHE READ CACHE WRITTEN", "opus $1.23 1,234,560 0 0 0",
                "none unknown ~$0.02 7 0 0 0",
                "total $1.23 ~$0.02 1,234,567 0 0 0",
            ])
        let days = [try #require(LocalDay("2026-11-27")), try #require(LocalDay("2026-11-28"))]
        #expect(CostTable.rows(of: Self.report, by: .day, days: days) == [.init(name: "2026-11-28", sum: Self.report.total)])
    }

    @Test("CSV has every digit, nothing for what is unknown, and no formula")
    func csv() {
        var rows = CostTable.rows(of: Self.report, by: .model, days: [])
        rows.append(.init(name: #"=SUM(1,"2")"#, sum: CostSum(costMicroUSD: 5)))
        #expect(
            CostTable.csv(rows, by: .model) == [
                "model,cost_usd,estimate_usd,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,unpriced_tokens",
                "opus,1.234567,0.000000,1234560,0,0,0,0", ",,0.020000,7,0,0,0,0",
                #""'=SUM(1,""2"")",0.000005,0.000000,0,0,0,0,0"#,
            ])
    }

    @Test("what the relay does not name is a row, so that rows add up, and what has no price is named in tokens")
    func others() {
        var report = Self.report
        let unpriced = CostSum(tokens: Tokens(input: 90_000_000), unpricedTokens: 90_000_000)
        report.projects = [.init(name: "shop", sum: CostSum(costMicroUSD: 1_000_000).plus(unpriced))]
        report.total = report.total.plus(unpriced)
        let rows = CostTable.rows(of: report, by: .project, days: [])
        #expect(rows.map(\.name) == ["shop", "others"])
        #expect(rows.reduce(CostSum()) { $0.plus($1.sum) } == report.total)
        let lines = CostTable.table(rows, total: report.total, by: .project) { $0 }.lines(
            width: nil, palette: Palette(isColoured: false))
        #expect(lines[1].contains("$1.00 + 90,000,000 tokens") && lines[3].contains("$1.23 + 90,000,000 tokens"))
    }

    @Test("when the day's budget is spent, if it does not last the day")
    func forecast() {
        let noon: Int64 = 20_000 * 86_400_000 + 43_200_000
        func at(spent: Int64, pace: Int64, scope: Budget.Scope = .day) -> Int64? {
            CostsTask.forecast(
                [BudgetReport(Budget(scope: scope, microUSD: 10), spentMicroUSD: spent, crossed: nil)], lastHourMicroUSD: pace,
                at: noon)
        }
        #expect(at(spent: 4, pace: 3) == noon + 7_200_000)
        #expect(at(spent: 10, pace: 3) == nil && at(spent: 4, pace: 0) == nil && at(spent: -2, pace: 1) == nil)
        #expect(at(spent: 4, pace: 3, scope: .workspace) == nil)
    }
}
