import RelayProtocol

/// What a session took, in a line: numbers only, nothing that an agent wrote.
enum Figures {
    /// `20 min · 12 tools · 3 of 7 tasks · +120 −30 lines · $0.41 + ~$2.00 guessed`
    static func line(_ subject: PushSubject) -> String {
        let (summary, words) = (subject.summary, subject.words)
        var parts = [words.duration(max(0, (summary.endedAt ?? subject.now) - summary.startedAt))]
        if summary.operations > 0 { parts.append(words.tools(summary.operations)) }
        if let todo = summary.todo, todo.total > 0 { parts.append(words.tasks(todo.completed, of: todo.total)) }
        if summary.linesAdded > 0 || summary.linesRemoved > 0 {
            parts.append(words.lines(added: summary.linesAdded, removed: summary.linesRemoved))
        }
        let guess = summary.estimateMicroUSD.map { words.guessed(words.money($0)) }
        let cost = [summary.knownCostMicroUSD.map(words.money), guess].compactMap(\.self)
        if !cost.isEmpty { parts.append(cost.joined(separator: " + ")) }
        return parts.joined(separator: " · ")
    }

    static func cost(_ subject: PushSubject) -> String {
        let (summary, words) = (subject.summary, subject.words)
        if subject.hidesCost { return words.openToSeeCost }
        return words.cost(summary.knownCostMicroUSD.map(words.money), guess: summary.estimateMicroUSD.map(words.money))
    }
}
