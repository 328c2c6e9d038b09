import Foundation

extension CardFace {
    func spoken(
        _ attributes: HeliographActivityAttributes, _ state: HeliographActivityAttributes.ContentState, _ words: any KitWords
    ) -> String {
        let title = attributes.project.map { words.title(attributes.title, inProject: $0) } ?? attributes.title
        var sentences = [CardText.sentence(title), spokenPhase(attributes.agent, state, words)]
        if let progress = state.progress, progress.total > 0, phase != .done {
            sentences.append(words.tasksDone(progress.completed, of: progress.total))
        }
        if let sentence = spokenCost(state, words) { sentences.append(sentence) }
        if phase != .budget, let level = state.budgetLevel, level > 0 { sentences.append(words.budgetSpent(level)) }
        if isOutdated, phase != .stale { sentences.append(words.mayBeOutdated) }
        return sentences.joined(separator: " ")
    }

    private func spokenCost(_ state: HeliographActivityAttributes.ContentState, _ words: any KitWords) -> String? {
        func money(_ microUSD: Int64) -> String {
            microUSD > 0 && microUSD < 10_000 ? words.lessThanACent : CardText.dollars(microUSD, words)
        }
        let cost = CardText.known(microUSD: state.costMicroUSD, estimate: state.estimateMicroUSD).map(money)
        let guess = state.estimateMicroUSD.map(money)
        return cost == nil && guess == nil ? nil : words.cost(cost, guess: guess)
    }

    private func spokenPhase(
        _ agent: String, _ state: HeliographActivityAttributes.ContentState, _ words: any KitWords
    ) -> String {
        switch phase {
        case .starting: return words.isStarting(agent)
        case .working:
            if let sessions = state.sessions, sessions > 1 { return words.sessionsWork(sessions) }
            return CardText.sentence(words.isWorking(agent, at: detail))
        case .approval:
            guard let approval = state.approval else { return words.approvalsWait(max(1, state.approvals)) }
            let others = state.approvals > 1 ? " " + words.waitInAll(state.approvals) : ""
            let wish = approval.summary.isEmpty ? approval.tool : "\(approval.tool): \(approval.summary)"
            return CardText.sentence(words.wants(agent, wish)) + others
        case .question: return CardText.sentence(words.asks(agent, detail))
        case .budget: return words.worksWithBudget(agent, spent: state.budgetLevel ?? 0)
        case .idle: return words.isIdle(agent)
        case .failed: return CardText.sentence(words.failed(agent, detail))
        case .done:
            let time = CardText.spokenDuration(state.updatedAt.timeIntervalSince(state.startedAt), words)
            return words.isDone(agent, after: time)
        case .stale: return words.notHeard(agent)
        }
    }
}
