import RelayProtocol

/// What a session took, in a line: numbers only, nothing that an agent wrote.
enum Figures {
    /// `20 min · 12 tools · 3 of 7 tasks · +120 −30 lines · $0.41 + ~$2.00 guessed`
    static func line(_ subject: PushSubject) -> String {
        let summary = subject.summary
        var parts = [duration(max(0, (summary.endedAt ?? subject.now) - summary.startedAt))]
        if summary.operations > 0 { parts.append("\(summary.operations) tool\(summary.operations == 1 ? "" : "s")") }
        if let todo = summary.todo, todo.total > 0 { parts.append("\(todo.completed) of \(todo.total) tasks") }
        if summary.linesAdded > 0 || summary.linesRemoved > 0 {
            parts.append("+\(summary.linesAdded) −\(summary.linesRemoved) lines")
        }
        let guess = summary.estimateMicroUSD.map { "~\(money($0)) guessed" }
        let cost = [summary.knownCostMicroUSD.map(money), guess].compactMap(\.self)
        if !cost.isEmpty { parts.append(cost.joined(separator: " + ")) }
        return parts.joined(separator: " · ")
    }

    static func cost(_ subject: PushSubject) -> String {
        if subject.hidesCost { return "Open the app to see what it has cost." }
        let summary = subject.summary
        return switch (summary.knownCostMicroUSD, summary.estimateMicroUSD) {
        case (let cost?, nil): "This session has cost \(money(cost))."
        case (let cost?, let guess?): "This session has cost \(money(cost)), and its agent guesses \(money(guess)) more."
        case (nil, let guess?): "Its agent guesses that this session has cost \(money(guess))."
        case (nil, nil): "This session has not told its cost."
        }
    }

    /// `45 s`, `20 min`, `1 h 5 min`
    static func duration(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 { return "\(seconds / 60) min" }
        return "\(seconds / 3_600) h" + (seconds % 3_600 < 60 ? "" : " \(seconds % 3_600 / 60) min")
    }

    /// `1,234,567`
    static func count(_ number: Int64) -> String {
        var groups: [Substring] = []
        var digits = Substring(String(number))
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }

    static func money(_ microUSD: Int64) -> String {
        if microUSD > 0, microUSD < 10_000 { return "<$0.01" }
        let cents = max(0, microUSD) / 10_000 + (microUSD % 10_000 >= 5_000 ? 1 : 0)
        return "$\(cents / 100)." + (cents % 100 < 10 ? "0" : "") + "\(cents % 100)"
    }
}
