import RelayProtocol

/// Costs of a week and of the one before, in words.
struct WeeklyWords {
    let week: CostReport
    let before: CostReport
    let hidesCost: Bool
    let words: any PushWords

    /// `naming`: also name the most expensive project and model.
    func text(naming: Bool) -> AlertText {
        guard !hidesCost else {
            return AlertText(
                title: words.weekOfAgents, subtitle: nil, body: words.openPageToSeeCost, isWhole: false)
        }
        return AlertText(
            title: words.thisWeek(amount(week.total)), subtitle: nil,
            body: ([comparison] + (naming ? dearest : [])).joined(separator: " "), isWhole: false)
    }

    /// `$12.30 + ~$2.00 guessed + 90,000,000 tokens without a price`
    private func amount(_ sum: CostSum) -> String {
        let guess = sum.estimateMicroUSD > 0 ? words.guessed(words.money(sum.estimateMicroUSD)) : nil
        // Usage without a known price is not free.
        let unpriced = sum.unpricedTokens > 0 ? words.unpriced(words.count(sum.unpricedTokens)) : nil
        let parts = [sum.costMicroUSD.map(words.money), guess, unpriced].compactMap(\.self)
        return parts.isEmpty ? sum == CostSum() ? words.noCost : words.noKnownPrice : parts.joined(separator: " + ")
    }

    /// Amounts are compared only if each of them is all that its week has cost.
    private var comparison: String {
        guard before.total != CostSum() else { return words.nothingBefore }
        guard let now = week.total.costMicroUSD, let then = before.total.costMicroUSD,
            [week, before].allSatisfy({ $0.total.unpricedTokens == 0 && $0.total.estimateMicroUSD == 0 })
        else { return words.weekBefore(amount(before.total)) }
        if now == then { return words.asMuchAsBefore }
        return words.comparedWithBefore(words.money(abs(now - then)), isMore: now > then, before: words.money(then))
    }

    private func named(_ share: CostReport.Share?) -> String? {
        guard let share, let name = share.name, let cost = share.sum.costMicroUSD, cost > 0 else { return nil }
        return "\(VisibleText.line(name)), \(words.money(cost))"
    }

    private var dearest: [String] {
        let (project, model) = (named(week.projects.first), named(week.models.first))
        return project == nil && model == nil ? [] : [words.dearest(project: project, model: model)]
    }
}
