import RelayModel
import RelayProtocol
import Testing

@testable import PushPlanner

@Suite("What a week has cost, by push") struct WeeklyTests {
    private typealias S = PlannerStage

    private static let hour: Int64 = 3_600_000
    private static let week = 7 * 24 * hour
    /// The stage begins on Friday, 2026-11-20 at 12:34:56 UTC.
    private static let untilFriday = 4 * hour + 25 * 60_000 + 4_000
    private static let friday = WeeklyCosts(weekday: 5, at: 17 * 60, timeZone: "UTC")

    private func stage() -> S {
        let stage = S { zone, at in zone == "UTC" ? (at / 60_000 + 3 * 1_440) % 10_080 : nil }
        _ = stage.take()
        return stage
    }

    private func choose(_ stage: S, _ change: (inout DeviceChoices) -> Void = { _ in }) {
        var choices = DeviceChoices()
        choices.weekly = Self.friday
        change(&choices)
        stage.ask(.deviceChoices(S.device.device, choices))
    }

    private func fire(_ stage: S, after wait: Int64) {
        stage.pass(wait)
        stage.tell(.timerFired(.weekly(S.home.id, S.device.device)))
    }

    private func costs(_ query: CostQuery) -> CostReport {
        var report = CostReport()
        report.total = CostSum(costMicroUSD: 12_000_000)
        report.projects = [.init(name: "site", sum: CostSum(costMicroUSD: 8_000_000))]
        report.models = [.init(name: "opus", sum: CostSum(costMicroUSD: 9_500_000))]
        return report
    }

    private func text(_ stage: S) -> String { String(decoding: stage.staged?.payload ?? [], as: UTF8.self) }

    @Test("it comes at the person's own time, quietly, with the sum, the week before, the dearest project and model")
    func told() throws {
        let stage = stage()
        var asked: [CostQuery] = []
        stage.costs = { query in
            asked.append(query)
            var report = costs(query)
            report.total.costMicroUSD = asked.count == 1 ? 12_000_000 : 10_000_000
            return report
        }
        choose(stage)
        #expect(stage.take().contains("arm weekly after \(Self.untilFriday)"))
        fire(stage, after: Self.untilFriday - 1)
        #expect(stage.staged == nil && stage.take() == ["arm weekly after 1"])
        fire(stage, after: 1)
        let words = text(stage)
        #expect(words.contains("This week: $12.00"), "\(words)")
        #expect(words.contains("$2.00 more than in the week before ($10.00). Dearest: project site, $8.00; model opus, $9.50."))
        #expect(stage.staged?.urgency == .whenConvenient && stage.staged?.session == nil)
        #expect(asked.count == 2 && asked[0].until - asked[1].until == Self.week)
        #expect(asked.allSatisfy { $0.days == [$0.until - Self.week] })
        #expect(stage.take().contains("arm weekly after \(Self.week)"))
    }

    @Test("two weeks of nothing are no news, and what has no known price is not said to be free")
    func nothing() {
        let stage = stage()
        choose(stage)
        fire(stage, after: Self.untilFriday)
        #expect(stage.staged == nil)
        stage.costs = { _ in
            var report = CostReport()
            report.total = CostSum(tokens: Tokens(input: 5))
            return report
        }
        fire(stage, after: Self.week)
        #expect(text(stage).contains("This week: no known price"), "\(text(stage))")
    }

    @Test("what has no price is named in tokens, and is not compared with dollars")
    func unpriced() {
        func words(_ week: CostSum, _ before: CostSum) -> String {
            var reports = [CostReport(), CostReport()]
            (reports[0].total, reports[1].total) = (week, before)
            let text = WeeklyWords(week: reports[0], before: reports[1], hidesCost: false, words: EnglishWords()).text(
                naming: true)
            return "\(text.title). \(text.body)"
        }
        let (few, many) = (
            CostSum(tokens: Tokens(input: 5), unpricedTokens: 5),
            CostSum(tokens: Tokens(input: 90_000_000), unpricedTokens: 90_000_000)
        )
        let priced = CostSum(costMicroUSD: 12_000_000)
        #expect(words(many, few) == "This week: 90,000,000 tokens without a price. The week before: 5 tokens without a price.")
        #expect(words(priced, few) == "This week: $12.00. The week before: 5 tokens without a price.")
        #expect(words(priced.plus(few), priced) == "This week: $12.00 + 5 tokens without a price. The week before: $12.00.")
        #expect(words(CostSum(), priced) == "This week: nothing. The week before: $12.00.")
        #expect(words(priced, CostSum()) == "This week: $12.00. In the week before nothing was used.")
        #expect(words(priced, priced) == "This week: $12.00. As much as in the week before.")
        let guessed = priced.plus(CostSum(estimateMicroUSD: 90_000_000))
        #expect(words(guessed, priced).hasSuffix("The week before: $12.00."))
        #expect(words(priced, guessed).hasPrefix("This week: $12.00. The week before: $12.00 + "))
    }

    @Test("a device that hides costs is told no amount, and one with generic text no name")
    func hidden() {
        let (silent, generic) = (stage(), stage())
        for stage in [silent, generic] { stage.costs = costs }
        choose(silent) { $0.hidesCost = true }
        fire(silent, after: Self.untilFriday)
        #expect(!text(silent).contains("$") && text(silent).contains("A week of agents"))
        choose(generic) { $0.text = .generic }
        fire(generic, after: Self.untilFriday)
        #expect(text(generic).contains("This week:") && !text(generic).contains("site"))
    }

    @Test("after weeks away the last one is told, once")
    func away() {
        let stage = stage()
        stage.costs = costs
        choose(stage)
        fire(stage, after: Self.untilFriday + 3 * Self.week + Self.hour)
        #expect(stage.take().contains("arm weekly after \(Self.week - Self.hour)"))
        fire(stage, after: 1)
        #expect(stage.staged == nil)
    }

    @Test("who wants it no more is told no more; another time begins anew, and over a restart it goes on")
    func choices() throws {
        let stage = stage()
        stage.costs = costs
        choose(stage)
        choose(stage) { $0.weekly = nil }
        fire(stage, after: Self.untilFriday)
        #expect(stage.staged == nil)
        choose(stage) { $0.weekly = WeeklyCosts(weekday: 6, at: 17 * 60, timeZone: "UTC") }
        let stored = try #require(stage.records.last { $0.kind == .device }?.bytes)
        let device = try RegisteredDevice(stored: stored)
        #expect(device.weekly?.wish.weekday == 6 && device.weekly?.since ?? 0 > 0)
        #expect(stage.take().last { $0.hasPrefix("arm weekly") } == "arm weekly after \(24 * Self.hour)")
        choose(stage) { $0.weekly = WeeklyCosts(weekday: 6, at: 17 * 60, timeZone: "Mars/Olympus") }
        #expect(stage.take().contains { $0.hasSuffix("no") })
    }
}
