package import PushPlanner

/// Headers of a push to Apple.
package struct APNsHeaders {
    static let urgent: Int64 = 10
    private static let normal: Int64 = 5

    /// The topic with its suffix; nil for channels and broadcasts.
    package let topic: String?
    /// `alert` or `liveactivity`; nil for channels.
    package let pushType: String?
    package let priority: Int64
    /// Expiry in seconds since 1970; 0 to deliver at once or not at all; nil if not set.
    package let expiration: Int64?
    package let collapseID: String?

    package init(_ intent: PushIntent) {
        let isToDevice = if case .device = intent.target { true } else { false }
        switch intent.purpose {
        case .alert: (topic, pushType) = (intent.app, "alert")
        case .start, .update, .end:
            topic = isToDevice ? "\(intent.app).push-type.liveactivity" : nil
            pushType = "liveactivity"
        case .channel: (topic, pushType) = (nil, nil)
        }
        priority = intent.urgency == .atOnce ? Self.urgent : Self.normal
        expiration = intent.purpose == .channel ? nil : intent.isKept ? intent.worthUntil / 1_000 : 0
        collapseID = intent.replaces?.asCollapseID
    }
}
