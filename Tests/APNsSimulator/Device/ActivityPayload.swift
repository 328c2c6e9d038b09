internal import RelayProtocol

/// The `aps` of a Live Activity push, parsed as strictly as a device that ignores faults silently.
struct ActivityPayload {
    enum Event: String, CaseIterable { case start, update, end }

    let event: Event
    /// Seconds since 1970.
    let timestamp: Int64
    let contentState: [UInt8]?
    let attributesType: String?
    let attributes: [UInt8]?
    let alert: (title: String, body: String, hasSound: Bool)?
    /// Seconds since 1970.
    let staleDate: Int64?
    let dismissalDate: Int64?
    let relevance: Double?
    let channel: String?
    let asksForToken: Bool

    init(parsing payload: [UInt8], takesNulls: Bool) throws(DropError) {
        let aps = try APSDictionary(parsing: payload)
        guard let event = aps.text("event").flatMap(Event.init(rawValue:)) else { throw DropError(.badEvent) }
        self.event = event
        guard let timestamp = try aps.seconds("timestamp") else { throw DropError(.badTimestamp, "there is none") }
        self.timestamp = timestamp
        contentState = try Self.object("content-state", in: aps, takesNulls: takesNulls)
        attributesType = aps.text("attributes-type")
        attributes = try Self.object("attributes", in: aps, takesNulls: takesNulls)
        alert = try aps.activityAlert()
        staleDate = try aps.seconds("stale-date")
        dismissalDate = try aps.seconds("dismissal-date")
        relevance = try aps.number("relevance-score")
        channel = aps.text("input-push-channel")
        asksForToken = try aps.seconds("input-push-token") == 1
    }

    private static func object(
        _ key: StaticString, in aps: APSDictionary, takesNulls: Bool
    ) throws(DropError) -> [UInt8]? {
        guard let value = aps.json.optional(key) else { return nil }
        guard value.isObject else { throw DropError(.badField, "\(key) is no object") }
        if !takesNulls, let place = firstNull(in: value) { throw DropError(.nullInContentState, place) }
        return Array(value.bytes)
    }

    private static func firstNull(in value: JSONValue) -> String? {
        if value.isNull { return value.path }
        let children = (try? value.members().map(\.value)) ?? (try? value.array()) ?? []
        for child in children {
            if let place = firstNull(in: child) { return place }
        }
        return nil
    }
}
