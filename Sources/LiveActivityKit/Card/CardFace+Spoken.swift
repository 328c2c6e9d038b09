import Foundation

extension CardFace {
    func spoken(
        _ attributes: HeliographActivityAttributes, _ state: HeliographActivityAttributes.ContentState
    ) -> String {
        var sentences = [CardText.sentence(attributes.project.map { "\(attributes.title), project \($0)" } ?? attributes.title)]
        sentences.append(spokenPhase(attributes.agent, state))
        if let progress = state.progress, progress.total > 0, phase != .done {
            let tasks = CardText.count(progress.total, "task")
            sentences.append("\(progress.completed) of \(tasks) \(progress.completed == 1 ? "is" : "are") done.")
        }
        if let sentence = spokenCost(state) { sentences.append(sentence) }
        if phase != .budget, let level = state.budgetLevel, level > 0 {
            sentences.append("\(level) percent of a budget is spent.")
        }
        if isOutdated, phase != .stale { sentences.append("This may be out of date.") }
        return sentences.joined(separator: " ")
    }

    private func spokenCost(_ state: HeliographActivityAttributes.ContentState) -> String? {
        func words(_ microUSD: Int64) -> String {
            let dollars = CardText.dollars(microUSD: microUSD)
            return dollars.hasPrefix("<") ? "less than a cent" : dollars
        }
        let guess = state.estimateMicroUSD.map(words)
        guard let cost = CardText.known(microUSD: state.costMicroUSD, estimate: state.estimateMicroUSD).map(words) else {
            return guess.map { "Its agent guesses that it has cost \($0)." }
        }
        return "It has cost \(cost)\(guess.map { ", and its agent guesses \($0) more" } ?? "")."
    }

    private func spokenPhase(_ agent: String, _ state: HeliographActivityAttributes.ContentState) -> String {
        switch phase {
        case .starting: return "\(agent) is starting."
        case .working:
            if let sessions = state.sessions, sessions > 1 { return "\(sessions) sessions are working." }
            return CardText.sentence(detail.map { "\(agent) is working: \($0)" } ?? "\(agent) is working")
        case .approval:
            guard let approval = state.approval else {
                let approvals = CardText.count(max(1, state.approvals), "approval")
                return "\(approvals) \(state.approvals > 1 ? "wait" : "waits") for you."
            }
            let others = state.approvals > 1 ? " \(CardText.count(state.approvals, "approval")) wait in all." : ""
            let wish = approval.summary.isEmpty ? approval.tool : "\(approval.tool): \(approval.summary)"
            return CardText.sentence("\(agent) wants to use \(wish)") + others
        case .question:
            return CardText.sentence(detail.map { "\(agent) asks: \($0)" } ?? "\(agent) asks you something")
        case .budget: return "\(agent) is working, and \(state.budgetLevel ?? 0) percent of a budget is spent."
        case .idle: return "\(agent) is idle."
        case .failed: return CardText.sentence(detail.map { "\(agent) failed: \($0)" } ?? "\(agent) failed")
        case .done:
            let time = CardText.spokenDuration(state.updatedAt.timeIntervalSince(state.startedAt))
            return "\(agent) is done after \(time)."
        case .stale: return "Nothing was heard of \(agent) for a while, so what is shown may be wrong."
        }
    }
}
