import RelayModel
import RelayProtocol

/// Why pushes do not arrive, as far as their answers say, and what follows when that is mended.
extension PushPlanner {
    mutating func wayChanged(at now: Instant) {
        for key in devices.keys {
            forgetFailures(of: key, at: now)
            lookAtEverything(of: key, at: now)
            for card in cards.keys.filter({ $0.device == key }).sorted() { serve(card, at: now) }
        }
    }

    /// What waits for its next try is due: the last failed for a reason that may be gone.
    mutating func forgetFailures(of key: DeviceKey, at now: Instant) {
        devices[key]?.alertTries = 0
        devices[key]?.alertsDueAt = 0
        for card in cards.keys where card.device == key {
            // What is held back for quiet hours, or for whoever looks, is again when it is due.
            let soon = now.wall + grace(of: card, at: now)
            let rings = (cards[card]?.rings ?? [:]).mapValues { min($0, soon) }
            cards[card]?.rings = rings
            guard cards[card]?.tries ?? 0 > 0 else { continue }
            cards[card]?.tries = 0
            cards[card]?.mailbox?.dueAt = now.wall
        }
    }

    mutating func learn(from planned: PlannedPush, _ outcome: PushOutcome) {
        guard var device = devices[planned.key] else { return }
        let before = device.bytes
        switch outcome {
        case .accepted(let environment, _):
            device.settle([.way, planned.order.purpose.trouble])
            // What a channel is made or told in says nothing of tokens.
            if case .device = planned.order.target {
                device.isEnvironmentProven = true
                device.device.environment = environment
            }
        case .refused(let advice, let text):
            device.troubles[advice.isOfTheWay ? .way : planned.order.purpose.trouble] = advice.sentence(text)
            if advice == .dropToken || advice == .quarantineToken, case .device(let token) = planned.order.target {
                if device.device.alertToken == token { device.device.alertToken = nil }
                if device.device.startToken == token { device.device.startToken = nil }
            }
        case .unknown: break
        case .notSent(let text): device.troubles[.way] = text
        }
        devices[planned.key] = device
        if device.bytes != before { stageRecord(of: planned.key) }
    }
}

extension PushOrder.Purpose {
    fileprivate var trouble: PushTrouble {
        switch self {
        case .alert: .alerts
        case .start: .starts
        case .update, .end: .cards
        case .channel: .channels
        }
    }
}

extension PushAdvice {
    /// Any push that is accepted shows that it is over; the others are of one address or one kind of push.
    fileprivate var isOfTheWay: Bool {
        switch self {
        case .fixCredentials, .sendLater, .keepToken: true
        case .dropToken, .quarantineToken, .markProfile, .dropChannel, .enableBroadcast, .fixRequest: false
        }
    }

    fileprivate func sentence(_ reason: String) -> String {
        switch self {
        case .dropToken: "its token is no longer valid (\(reason)): open the app once"
        case .keepToken: "APNs answered about an older token (\(reason))"
        case .quarantineToken: "its token is of no environment that we know (\(reason)): open the app once"
        case .markProfile: "the token is not of the app that the profile names (\(reason))"
        case .dropChannel: "the broadcast channel is gone (\(reason))"
        case .enableBroadcast: "broadcast is not enabled for this app at Apple (\(reason))"
        case .fixRequest: "APNs does not take what the profile makes (\(reason))"
        case .fixCredentials: "APNs does not take our key (\(reason)): heliograph push status"
        case .sendLater: "APNs takes no more for now (\(reason))"
        }
    }
}
