import RelayProtocol

/// Reasons why pushes do not arrive, as far as their outcomes show.
extension RegisteredDevice {
    /// Updates the device by the outcome of a push. Returns true if it changed.
    mutating func learn(from intent: PushIntent, _ outcome: PushOutcome, _ channel: any PushChannel) -> Bool {
        let before = bytes
        switch outcome {
        case .accepted(let environment, _):
            // The outcome may be about an address that belongs to another device by now.
            guard isReached(by: intent) else { break }
            settle([.way, intent.purpose.trouble])
            // The environment of a channel proves nothing about tokens.
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

    /// True if the intent's target is this device's address as its app last reported it.
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
    /// True for trouble that any accepted push settles; the rest concerns one address or one kind of push.
    fileprivate var isOfTheWay: Bool {
        switch self {
        case .fixCredentials, .sendLater, .keepToken: true
        case .dropToken, .quarantineToken, .markProfile, .dropChannel, .enableBroadcast, .fixRequest: false
        }
    }
}
