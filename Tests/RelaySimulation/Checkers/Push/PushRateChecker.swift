import PushPlanner
import RelayProtocol

/// Checks that a card gets at most a few pushes a minute, whatever its agent does, plus those for the start and end of a wait for a
/// person.
struct PushRateChecker {
    /// Updates within `window` milliseconds: one about requests every five seconds, a change of phase every second and a half, and
    /// some room for small changes between.
    private static let updatesMax = 58
    /// Updates that begin or end a wait for a person: each beginning follows at least two seconds after the last change.
    private static let turnsMax = 62
    private static let window: Int64 = 60_000

    private struct Told {
        var updates: [Int64] = []
        var turns: [Int64] = []
        var isWaitedFor: Bool?
    }

    private var told: [CardID: Told] = [:]

    /// Forgets what was sent: withheld updates are sent at once when the person stops looking, and failed ones again.
    mutating func disturbed(_ cards: [CardID]) { for card in cards { told[card] = nil } }

    mutating func relayEnded() { told = [:] }

    mutating func ordered(_ order: PushIntent, _ card: CardID, at now: Int64) -> String? {
        guard order.purpose == .update else { return nil }
        var known = told[card] ?? Told()
        let isWaitedFor = order.isOnTop
        let isTurn = known.isWaitedFor.map { $0 != isWaitedFor } ?? false
        known.isWaitedFor = isWaitedFor
        let recent = (isTurn ? known.turns : known.updates).filter { now - $0 < Self.window } + [now]
        if isTurn { known.turns = recent } else { known.updates = recent }
        told[card] = known
        guard recent.count > (isTurn ? Self.turnsMax : Self.updatesMax) else { return nil }
        return "\(card) is told \(isTurn ? "of a person" : "something") \(recent.count) times within a minute"
    }

    mutating func answered(_ card: CardID, _ outcome: PushOutcome) {
        if case .accepted = outcome { return }
        disturbed([card])
    }
}

extension PushIntent {
    /// True if it asks for a person: a profile gives the highest relevance to nothing else.
    var isOnTop: Bool {
        let relevance = try? JSONDocument(parsing: payload).root.required("aps").optionalInteger("relevance-score")
        return relevance.map { $0 == 100 } ?? false
    }
}
