import RelayProtocol

/// Costs of a week and of the one before, in words.
struct WeeklyWords {
    let week: CostReport
    let before: CostReport
    let hidesCost: Bool

    /// `naming`: also name the most expensive project and model.
    func text(naming: Bool) -> AlertText {
        guard !hidesCost else {
            return AlertText(
                title: "A week of agents", subtitle: nil, body: "Open the page to see what it has cost.", isWhole: false)
        }
        return AlertText(
            title: "This week: \(Self.amount(week.total))", subtitle: nil,
            body: ([comparison] + (naming ? dearest : [])).joined(separator: " "), isWhole: false)
    }

    /// `$12.30 + ~$2.00 guessed + 90,000,000 tokens without a price`
    private static func amount(_ sum: CostSum) -> String {
        let guess = sum.estimateMicroUSD > 0 ? "~\(Figures.money(sum.estimateMicroUSD)) guessed" : nil
        // Usage without a known price is not free.
        let unpriced = sum.unpricedTokens > 0 ? "\(Figures.count(sum.unpricedTokens)) tokens without a price" : nil
        let parts = [sum.costMicroUSD.map(Figures.money), guess, unpriced].compactMap(\.self)
        return parts.isEmpty ? sum == CostSum() ? "nothing" : "no known price" : parts.joined(separator: " + ")
    }

    /// Amounts are compared only if each of them is all that its week has cost.
    private var comparison: String {
        guard before.total != CostSum() else { return "In the week before nothing was used." }
        guard let now = week.total.costMicroUSD, let then = before.total.costMicroUSD,
            [week, before].allSatisfy({ $0.total.unpricedTokens == 0 })
        else { return "The week before: \(Self.amount(before.total))." }
        if now == then { return "As much as in the week before." }
        let change = "\(Figures.money(abs(now - then))) \(now > then ? "more" : "less") than in the week before"
        return "\(change) (\(Figures.money(then)))."
    }

    private var dearest: [String] {
        let found = [("project", week.projects.first), ("model", week.models.first)].compactMap { kind, share -> String? in
            guard let share, let name = share.name, let cost = share.sum.costMicroUSD, cost > 0 else { return nil }
            return "\(kind) \(VisibleText.line(name)), \(Figures.money(cost))"
        }
        return found.isEmpty ? [] : ["Dearest: \(found.joined(separator: "; "))."]
    }
}
