package import PushPlanner
import RelayProtocol

/// The JSON of pushes, by Apple's rules and never longer than Apple accepts.
///
/// Dates in `aps` are seconds since 1970, whatever the profile uses. Absent fields are omitted: a null has made deliveries fail.
package enum APNsPayload {
    /// The longest payload of one push to one device.
    package static let bytesMax = 4_096
    /// The longest payload of one push to a channel.
    package static let broadcastBytesMax = 5_120
    /// Text of a card's alert, which a watch shows and for which a phone lights up.
    static let cardAlertBytesMax = 512
    /// The id of a channel: Apple documents no length, so this limit is ours.
    package static let channelBytesMax = 512
    /// `Payload.sealedTextBytesMax` in base64, with its JSON key.
    static let sealedBytesMax = ((Payload.sealedTextBytesMax + 12 + 16 + 2) / 3) * 4 + 16

    /// Starts a card. Without an alert APNs accepts the push, but the device ignores it. `channel` is the channel that the card
    /// listens to; `inputPushToken` asks the app for a token. Neither may be sent to a system before iOS 18.
    package static func start(
        _ profile: Profile, _ subject: PushSubject, timestamp: Int64, stale: Int64?, relevance: Int64, alert: AlertText,
        sound: Bool, channel: String?, inputPushToken: Bool
    ) -> [UInt8] {
        precondition(!alert.title.isEmpty || !alert.body.isEmpty, "a start needs words")
        precondition(channel.map { $0.utf8.count <= channelBytesMax } ?? true, "a channel longer than we planned for")
        var message = Message(event: "start", timestamp: timestamp, stale: stale, relevance: relevance)
        message.start = (type: profile.requiredAttributesType, attributes: profile.attributes(subject))
        message.alert = (alert.cut(to: cardAlertBytesMax), sound)
        (message.channel, message.asksForToken) = (channel, inputPushToken)
        return message.bytes(profile, subject, bytesMax: bytesMax)
    }

    package static func update(
        _ profile: Profile, _ subject: PushSubject, timestamp: Int64, stale: Int64?, relevance: Int64, alert: AlertText? = nil,
        sound: Bool = false, broadcast: Bool
    ) -> [UInt8] {
        var message = Message(event: "update", timestamp: timestamp, stale: stale, relevance: relevance)
        message.alert = alert.map { ($0.cut(to: cardAlertBytesMax), sound) }
        return message.bytes(profile, subject, bytesMax: broadcast ? broadcastBytesMax : bytesMax)
    }

    /// The last push of a card. `dismissal`: when it leaves the Lock Screen; a past time means at once.
    package static func end(
        _ profile: Profile, _ subject: PushSubject, timestamp: Int64, dismissal: Int64?, relevance: Int64? = nil,
        alert: AlertText? = nil, sound: Bool = false, broadcast: Bool
    ) -> [UInt8] {
        var message = Message(event: "end", timestamp: timestamp, stale: nil, relevance: relevance)
        message.dismissal = dismissal
        message.alert = alert.map { ($0.cut(to: cardAlertBytesMax), sound) }
        return message.bytes(profile, subject, bytesMax: broadcast ? broadcastBytesMax : bytesMax)
    }

    /// One message to a Live Activity.
    private struct Message {
        var event: String
        var timestamp: Int64
        var stale: Int64?
        var relevance: Int64?
        var dismissal: Int64?
        var start: (type: String, attributes: [UInt8])?
        var alert: (text: AlertText, sound: Bool)?
        var channel: String?
        var asksForToken = false

        init(event: String, timestamp: Int64, stale: Int64?, relevance: Int64?) {
            self.event = event
            self.timestamp = timestamp
            self.stale = stale
            self.relevance = relevance
        }

        func bytes(_ profile: Profile, _ subject: PushSubject, bytesMax: Int) -> [UInt8] {
            _ = profile.requiredAttributesType
            let state = profile.contentState(subject, bytesMax: bytesMax - bytes(state: []).count)
            let payload = bytes(state: state)
            assert(payload.count <= bytesMax)
            return payload
        }

        private func bytes(state: [UInt8]) -> [UInt8] {
            JSONWriter.object { payload in
                payload.object("aps") { aps in
                    aps.field("timestamp", timestamp)
                    aps.field("event", event)
                    if let start {
                        aps.field("attributes-type", start.type)
                        aps.raw("attributes", start.attributes)
                    }
                    aps.raw("content-state", state)
                    if let alert {
                        aps.object("alert") {
                            $0.field("title", alert.text.title)
                            $0.field("body", alert.text.body)
                            // The sound is a member of the alert here; everywhere else it is next to it.
                            if alert.sound { $0.field("sound", "default") }
                        }
                    }
                    aps.field("stale-date", stale)
                    aps.field("dismissal-date", dismissal)
                    aps.field("relevance-score", relevance)
                    aps.field("input-push-channel", channel)
                    if asksForToken { aps.field("input-push-token", 1) }
                }
            }
        }
    }
}

extension Profile {
    /// To be called only for a profile with cards.
    fileprivate var requiredAttributesType: String {
        guard let attributesType else { preconditionFailure("the profile \(name) has no card: alerts only") }
        return attributesType
    }
}
