/// `apns-push-type`, with its topic suffix and largest payload.
package struct PushType: Sendable, Hashable {
    package let name: String
    /// The part of `apns-topic` after the bundle id.
    package let topicSuffix: String
    package let payloadBytesMax: Int

    package init(_ name: String, topicSuffix: String, payloadBytesMax: Int = 4096) {
        self.name = name
        self.topicSuffix = topicSuffix
        self.payloadBytesMax = payloadBytesMax
    }

    package static let alert = PushType("alert", topicSuffix: "")
    package static let background = PushType("background", topicSuffix: "")
    package static let liveActivity = PushType("liveactivity", topicSuffix: ".push-type.liveactivity")

    /// Types that Apple documents, and `nowplaying`, which is in use already: new systems add more.
    package static let known: [PushType] = [
        .alert, .background, .liveActivity,
        PushType("complication", topicSuffix: ".complication"),
        PushType("controls", topicSuffix: ".push-type.controls"),
        PushType("fileprovider", topicSuffix: ".pushkit.fileprovider"),
        PushType("location", topicSuffix: ".location-query"),
        PushType("nowplaying", topicSuffix: ".push-type.nowplaying"),
        PushType("pushtotalk", topicSuffix: ".voip-ptt"),
        PushType("voip", topicSuffix: ".voip", payloadBytesMax: 5120),
        PushType("widgets", topicSuffix: ".push-type.widgets"),
    ]

    /// Largest payload of a broadcast, including attributes.
    static let broadcastBytesMax = 5120
}
