import RelayProtocol

/// Why pushes do not arrive, as far as their answers say.
extension RegisteredDevice {
    /// Returns whether it is another device now.
    mutating func learn(from intent: PushIntent, _ outcome: PushOutcome, _ channel: any PushChannel) -> Bool {
        let before = bytes
        switch outcome {
        case .accepted(let environment, _):
            // The answer may be about an address that is another device's by now.
            guard isReached(by: intent) else { break }
            settle([.way, intent.purpose.trouble])
            // A channel's environment shows nothing about tokens.
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

    /// True if the intent goes to its own address, as its app last reported it.
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
