import PushPlanner
import RelayProtocol

/// A card is told something a few times a minute at most, whatever its agent does.
struct PushRateChecker {
    /// Updates within `window` milliseconds: one about what waits every five seconds, and some room for small changes between.
    private static let updatesMax = 16
    private static let window: Int64 = 60_000

    private var updates: [CardID: [Int64]] = [:]

    /// What was kept from it goes at once when nobody looks any more, and what failed is sent again.
    mutating func disturbed(_ cards: [CardID]) { for card in cards { updates[card] = nil } }

    mutating func relayEnded() { updates = [:] }

    mutating func ordered(_ order: PushIntent, _ card: CardID, at now: Int64) -> String? {
        guard order.purpose == .update else { return nil }
        let recent = (updates[card] ?? []).filter { now - $0 < Self.window } + [now]
        updates[card] = recent
        return recent.count > Self.updatesMax ? "\(card) is told something \(recent.count) times within a minute" : nil
    }

    mutating func answered(_ card: CardID, _ outcome: PushOutcome) {
        if case .accepted = outcome { return }
        disturbed([card])
    }
}
