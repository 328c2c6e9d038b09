import PushPlanner
import RelayProtocol

/// Checks that each push to a card has a later timestamp than the one before, and that nothing follows its end but the same end.
struct CardOrderChecker {
    private struct Sent {
        var timestamp: Int64
        var push: PushID
        var payload: [UInt8]
    }

    private var last: [CardID: Sent] = [:]
    /// Cards that were sent an end; true if APNs would never accept it.
    private var ended: [CardID: Bool] = [:]
    /// The latest time that the relay's clock ever showed.
    var latest: Int64 = 0

    mutating func forgot(_ cards: [CardID]) {
        // When a device is forgotten, so are the pushes to its cards.
        for card in cards {
            last[card] = nil
            ended[card] = nil
        }
    }

    /// A card whose end was refused for good lives on if its app reports it.
    mutating func reported(_ report: CardReport, at address: CardID) {
        if ended[address] == true, report.state == .active || report.state == .stale { ended[address] = nil }
    }

    mutating func answered(_ order: PushIntent, _ card: CardID, _ outcome: PushOutcome) {
        guard order.purpose == .end, case .refused(let advice, _) = outcome else { return }
        switch advice {
        case .keepToken, .sendLater, .fixCredentials: break
        case .dropToken, .quarantineToken, .dropChannel, .enableBroadcast, .markProfile, .fixRequest: ended[card] = true
        }
    }

    mutating func ordered(_ order: PushIntent, _ card: CardID) -> String? {
        guard let timestamp = try? JSONDocument(parsing: order.payload).root.required("aps").integer("timestamp") else {
            return "push \(order.id.rawValue) to \(card) has no time"
        }
        if timestamp * 1_000 > latest + 8 * 3_600_000 { return "push \(order.id.rawValue) is of a time far ahead" }
        let isAgain = last[card]?.push == order.id
        if isAgain, last[card]?.payload != order.payload {
            return "push \(order.id.rawValue) is sent again with another payload"
        }
        let isSameEnd = order.purpose == .end && ended[card] != nil && last[card]?.timestamp == timestamp
        if let before = last[card], !isAgain, !isSameEnd, timestamp <= before.timestamp {
            return
                "push \(order.id.rawValue) to \(card) is of \(timestamp), and push \(before.push.rawValue) was of \(before.timestamp)"
        }
        if ended[card] != nil, order.purpose != .end { return "push \(order.id.rawValue) goes to \(card) after its end" }
        if order.purpose == .end { ended[card] = false }
        last[card] = Sent(timestamp: timestamp, push: order.id, payload: order.payload)
        return nil
    }
}
