import RelayProtocol

/// Why pushes do not arrive, as far as their answers say.
extension RegisteredDevice {
    /// Returns whether it is another device now.
    mutating func learn(from order: PushOrder, _ outcome: PushOutcome) -> Bool {
        let before = bytes
        switch outcome {
        case .accepted(let environment, _):
            settle([.way, order.purpose.trouble])
            // What a channel is made or told in says nothing of tokens.
            if case .device = order.target {
                isEnvironmentProven = true
                device.address.environment = environment
            }
        case .refused(let advice, let text):
            troubles[advice.isOfTheWay ? .way : order.purpose.trouble] = advice.sentence(text)
            if advice == .dropToken || advice == .quarantineToken, case .device(let token) = order.target {
                device.address.drop(token)
            }
        case .unknown: break
        case .notSent(let text): troubles[.way] = text
        }
        return bytes != before
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
