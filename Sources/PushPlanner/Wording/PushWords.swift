package import RelayProtocol

/// The relay's own words in notifications, in one language. What agents, hosts and people wrote is inserted as it is.
///
/// A language is a type that conforms: one that lacks a sentence does not compile.
package protocol PushWords: Sendable {
    /// Separates dollars and cents.
    var decimalMark: String { get }
    func dollars(_ amount: String) -> String

    // A session's figures
    func tools(_ count: Int64) -> String
    func tasks(_ completed: Int64, of total: Int64) -> String
    func lines(added: Int64, removed: Int64) -> String
    func guessed(_ money: String) -> String
    func unpriced(_ tokens: String) -> String
    var openToSeeCost: String { get }
    /// `guess`: the agent's own estimate of further costs.
    func cost(_ money: String?, guess: String?) -> String

    // An agent's activity. `agent` is nil if the person wants no names.
    func failed(_ agent: String) -> String
    func hasProblem(_ agent: String?) -> String
    func finished(_ agent: String?) -> String
    func isWorking(_ agent: String?) -> String
    func isStillWorking(_ agent: String?) -> String
    func openToFollow(_ figures: String) -> String
    func budgetReached(_ percent: Int64) -> String
    var budgetCrossed: String { get }

    // Requests
    var needsApproval: String { get }
    var hasQuestion: String { get }
    var openToSee: String { get }
    var openToAnswer: String { get }
    func asks(_ agent: String) -> String
    /// - Parameter deed: Nil if the request is unknown.
    func wants(_ agent: String, _ deed: ToolDeed?) -> String
    func lookTwice(_ risks: String) -> String
    var partsAreHidden: String { get }
    var allow: String { get }
    var deny: String { get }

    // Outcomes of requests
    var questionIsSettled: String { get }
    var approvalIsSettled: String { get }
    /// - Parameter decider: Nil if it may not be named.
    func decided(_ deed: Decision.Verdict.Deed, by decider: String?) -> String
    var nobodyDecided: String { get }
    var sessionHasEnded: String { get }
    var settledAtTerminal: String { get }

    // Other waiting requests
    var noMoreWait: String { get }
    func waitAlone(_ count: Int64) -> String
    /// - Parameter questions: Number of questions among `more`.
    func wait(more: Int64, questions: Int64) -> String
    func waitInAll(_ count: Int64) -> String

    // Digests
    var meanwhile: String { get }
    func happened(_ kind: AlertKind, _ count: Int64) -> String
    func answeredByRules(_ count: Int64) -> String
    var weekOfAgents: String { get }
    var openPageToSeeCost: String { get }
    func thisWeek(_ amount: String) -> String
    var noCost: String { get }
    var noKnownPrice: String { get }
    var asMuchAsBefore: String { get }
    func comparedWithBefore(_ difference: String, isMore: Bool, before: String) -> String
    var nothingBefore: String { get }
    func weekBefore(_ amount: String) -> String
    func dearest(project: String?, model: String?) -> String

    func pushesReach(_ device: String) -> String
}

extension PushWords {
    func money(_ microUSD: Int64) -> String {
        if microUSD > 0, microUSD < 10_000 { return "<" + dollars("0\(decimalMark)01") }
        let cents = max(0, microUSD) / 10_000 + (microUSD % 10_000 >= 5_000 ? 1 : 0)
        return dollars("\(cents / 100)\(decimalMark)" + (cents % 100 < 10 ? "0" : "") + "\(cents % 100)")
    }

    /// `1,234,567`
    func count(_ number: Int64) -> String { number.grouped(by: decimalMark == "," ? "." : ",") }

    /// `45 s`, `20 min`, `1 h 5 min`
    func duration(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 { return "\(seconds / 60) min" }
        return "\(seconds / 3_600) h" + (seconds % 3_600 < 60 ? "" : " \(seconds % 3_600 / 60) min")
    }
}
