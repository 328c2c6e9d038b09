package import PushPlanner
package import RelayProtocol

/// Apple's push service as a channel of the planner: payloads, topics, priorities, the profiles of apps, and broadcast channels (iOS 18).
package struct APNsChannel: PushChannel {
    package let profiles: ProfileSet
    /// Bundle ids of apps whose cards listen to a broadcast channel, if their system supports that.
    private let broadcastBundles: Set<String>

    package init(profiles: ProfileSet = ProfileSet(), broadcastBundles: Set<String> = []) {
        self.profiles = profiles
        self.broadcastBundles = broadcastBundles
    }

    package func app(named name: String) -> PushApp? { profiles[name]?.app }

    package func canBroadcast(to device: Device) -> Bool {
        guard let profile = profiles[device.profile] else { return false }
        return device.isOfSystem18 && broadcastBundles.contains(profile.bundle)
    }

    package func face(of subject: PushSubject, on device: Device, isBroadcast: Bool) -> [UInt8] {
        profiles[device.profile]?.contentState(
            subject, bytesMax: isBroadcast ? APNsPayload.broadcastBytesMax : APNsPayload.bytesMax) ?? []
    }

    package func payload(of content: PushContent, on device: Device) -> [UInt8] {
        guard let profile = profiles[device.profile] else { preconditionFailure("the planner has asked for the app") }
        switch content {
        case .alert(let alert): return APNsPayload.alert(profile, alert)
        case .card(let card): return Self.payload(of: card, profile, device)
        }
    }

    private static func payload(of card: CardContent, _ profile: Profile, _ device: Device) -> [UInt8] {
        let relevance = profile.relevance(of: card.subject.summary.status)
        switch card.step {
        case .start(let channel):
            guard let words = card.alert else { preconditionFailure("a start needs words") }
            return APNsPayload.start(
                profile, card.subject, timestamp: card.timestamp, stale: card.stale, relevance: relevance, alert: words,
                sound: card.rings, channel: channel, inputPushToken: channel == nil && device.isOfSystem18)
        case .update:
            return APNsPayload.update(
                profile, card.subject, timestamp: card.timestamp, stale: card.stale, relevance: relevance, alert: card.alert,
                sound: card.rings, broadcast: card.isBroadcast)
        case .end(let dismissal):
            return APNsPayload.end(
                profile, card.subject, timestamp: card.timestamp, dismissal: dismissal, broadcast: card.isBroadcast)
        }
    }

    package func sentence(on advice: PushAdvice, reason: String) -> String {
        switch advice {
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

    // MARK: - In Apple's words

    package func write(_ intent: PushIntent, to record: inout JSONWriter) {
        let headers = APNsHeaders(intent)
        record.field("topic", headers.topic)
        record.field("pushType", headers.pushType)
        record.field("priority", headers.priority)
        record.field("expiration", headers.expiration)
        record.field("collapse", headers.collapseID)
    }

    package func read(_ intent: inout PushIntent, from record: JSONValue) throws(WireError) {
        // The rest follows from the intent's purpose.
        intent.urgency = try record.integer("priority") >= APNsHeaders.urgent ? .atOnce : .whenConvenient
        intent.isKept = try record.optionalInteger("expiration") != 0
        intent.replaces = try record.optionalString("collapse")
    }

    package func show(_ intent: PushIntent, to writer: inout JSONWriter) {
        let headers = APNsHeaders(intent)
        writer.field("priority", headers.priority)
        writer.field("collapse", headers.collapseID)
    }
}

extension Device {
    /// True from iOS 18 on: only then may a card listen to a channel, or be asked for its token.
    fileprivate var isOfSystem18: Bool { systemMajor >= 18 }
}

extension Profile {
    package var app: PushApp {
        let cards = attributesType.map { _ in
            PushApp.Cards(
                staleAfter: staleAfter, maximumAge: maximumAge, dismissal: dismissal, closingText: closingText,
                countMax: cardsMax)
        }
        return PushApp(name: name, id: bundle, textMax: textMax, cards: cards)
    }
}
