/// `apns-push-type`: which topic goes with it and how much it may carry.
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

    /// Types that Apple documents, and `nowplaying`, which is in use already: the list grows with every system.
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

    /// The longest broadcast, attributes and all.
    static let broadcastBytesMax = 5120
}
