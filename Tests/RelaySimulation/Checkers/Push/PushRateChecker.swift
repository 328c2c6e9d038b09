import PushPlanner
import RelayProtocol

/// A card gets at most a few pushes a minute, whatever its agent does; in addition those for the start and end of a wait for a person.
struct PushRateChecker {
    /// Updates within `window` milliseconds: one about what waits every five seconds, a change of phase every second and a half, and some room
    /// for small changes between.
    private static let updatesMax = 58
    /// Those that turn to a person, or away: each of the first kind comes two seconds after what was said of it before.
    private static let turnsMax = 62
    private static let window: Int64 = 60_000

    private struct Told {
        var updates: [Int64] = []
        var turns: [Int64] = []
        var isWaitedFor: Bool?
    }

    private var told: [CardID: Told] = [:]

    /// Withheld updates go at once when the person stops looking, and failed ones are sent again.
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
    /// True if it asks for a person: a profile puts nothing else on top of an app's cards.
    var isOnTop: Bool {
        let relevance = try? JSONDocument(parsing: payload).root.required("aps").optionalInteger("relevance-score")
        return relevance.map { $0 == 100 } ?? false
    }
}
