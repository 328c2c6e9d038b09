/// One push's content and lifetime.
package struct WebPushMessage: Equatable, Sendable {
    /// Urgency, which a phone weighs against its battery: RFC 8030, section 5.3.
    package enum Urgency: String, Sendable, CaseIterable {
        case low
        case normal
        case high
    }

    /// Largest text of a push. Firefox on Android gets its pushes through Google's service, as base64: 2,744 bytes of body, of
    /// which 103 are not text.
    package static let textBytesMax = 2_600
    /// Sizes to which a text is padded, because the length of a command is information. A push service sees only these.
    static let paddedSizes = [512, 1_024, 1_536, 2_048, textBytesMax]
    /// Largest JSON for a server that reads it; an ntfy server accepts twice its 4,096 bytes of message.
    package static let plainBytesMax = 8_192
    /// The longest time for which the services keep a push.
    package static let secondsToLiveMax = 30 * 24 * 60 * 60

    package let text: [UInt8]
    /// A message with a topic may safely arrive twice.
    package let topic: WebPushTopic?
    /// Seconds from submission after which it is not worth showing. At least 1: Microsoft refuses 0.
    package let secondsToLive: Int
    package let urgency: Urgency

    /// Clamps `secondsToLive`. Throws `textTooLong`.
    package init(text: [UInt8], topic: WebPushTopic?, secondsToLive: Int, urgency: Urgency) throws(WebPushError) {
        guard text.count <= Self.textBytesMax else {
            throw WebPushError(.textTooLong, "a push has at most \(Self.textBytesMax) bytes of text, not \(text.count)")
        }
        self.text = text
        self.topic = topic
        self.secondsToLive = min(max(secondsToLive, 1), Self.secondsToLiveMax)
        self.urgency = urgency
    }

    /// JSON that is sent unencrypted. Clamps `secondsToLive`. Throws `textTooLong`.
    package init(json: [UInt8], topic: WebPushTopic?, secondsToLive: Int, urgency: Urgency) throws(WebPushError) {
        guard json.count <= Self.plainBytesMax else {
            throw WebPushError(.textTooLong, "a message has at most \(Self.plainBytesMax) bytes, not \(json.count)")
        }
        text = json
        self.topic = topic
        self.secondsToLive = min(max(secondsToLive, 1), Self.secondsToLiveMax)
        self.urgency = urgency
    }

    /// Length of the padded text.
    var paddedSize: Int { Self.paddedSizes.first { $0 >= text.count } ?? Self.textBytesMax }
}
