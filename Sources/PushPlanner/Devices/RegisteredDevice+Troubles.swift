import RelayProtocol

/// Why pushes do not arrive, as far as their answers say.
extension RegisteredDevice {
    /// Returns whether it is another device now.
    mutating func learn(from intent: PushIntent, _ outcome: PushOutcome, _ channel: any PushChannel) -> Bool {
        let before = bytes
        switch outcome {
        case .accepted(let environment, _):
            // It may have been about an address that is another device's by now.
            guard isReached(by: intent) else { break }
            settle([.way, intent.purpose.trouble])
            // What a channel is made or told in says nothing of tokens.
            if case .device = intent.target {
                isEnvironmentProven = true
                device.address.environment = environment
            }
        case .refused(let advice, let text):
            troubles[advice.isOfTheWay ? .way : intent.purpose.trouble] = channel.sentence(on: advice, reason: text)
            if advice == .dropToken || advice == .quarantineToken, case .device(let token) = intent.target {
                device.address.drop(token)
            }
        case .unknown: break
        case .notSent(let text): troubles[.way] = text
        }
        return bytes != before
    }

    /// Where its own addresses are meant, as its app told them last.
    private func isReached(by intent: PushIntent) -> Bool {
        guard case .device(let token) = intent.target else { return true }
        return switch intent.purpose {
        case .alert: device.address.alerts == token
        case .start: device.address.starts == token
        case .update, .end, .channel: true
        }
    }
}

extension PushIntent.Purpose {
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
}
