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

    /// `$12.30 + ~$2.00 guessed`
    private static func amount(_ sum: CostSum) -> String {
        let guess = sum.estimateMicroUSD > 0 ? "~\(Figures.money(sum.estimateMicroUSD)) guessed" : nil
        let parts = [sum.costMicroUSD.map(Figures.money), guess].compactMap(\.self)
        // Usage without a known price is not free.
        return parts.isEmpty ? sum == CostSum() ? "nothing" : "no known price" : parts.joined(separator: " + ")
    }

    private var comparison: String {
        let (now, then) = (week.total.costMicroUSD ?? 0, before.total.costMicroUSD ?? 0)
        if now == then { return "As much as in the week before." }
        let change = "\(Figures.money(abs(now - then))) \(now > then ? "more" : "less") than in the week before"
        return then == 0 ? "\(change), which had no cost." : "\(change) (\(Figures.money(then)))."
    }

    private var dearest: [String] {
        let found = [("project", week.projects.first), ("model", week.models.first)].compactMap { kind, share -> String? in
            guard let share, let name = share.name, let cost = share.sum.costMicroUSD, cost > 0 else { return nil }
            return "\(kind) \(VisibleText.line(name)), \(Figures.money(cost))"
        }
        return found.isEmpty ? [] : ["Dearest: \(found.joined(separator: "; "))."]
    }
}
