internal import RelayProtocol

/// The visible state of a device, for tests and the demo.
extension Device {
    package func json(at now: Int64) -> [UInt8] {
        JSONWriter.object { line in
            line.field("device", id.name)
            line.field("isOnline", isOnline)
            line.field("hasFocus", hasFocus)
            line.field("foreground", foreground)
            line.strings("apps", apps.keys.sorted())
            line.strings("stored", stored.values.map(\.id).sorted())
            line.field("held", Int64(held.count))
            line.array(
                "activities",
                activities.values.sorted { ($0.startedAt, $0.id.name) < ($1.startedAt, $1.id.name) }.map { $0.json(at: now) })
            line.array(
                "notifications", notifications.map { notification in JSONWriter.object { notification.write(to: &$0) } })
            line.raw("screen", screen(at: now).json)
        }
    }
}

extension Activity {
    fileprivate func json(at now: Int64) -> [UInt8] {
        JSONWriter.object { line in
            line.field("activity", id.name)
            line.field("bundle", bundle)
            line.field("attributesType", attributesType)
            line.raw("attributes", attributes)
            line.raw("contentState", contentState)
            line.field("timestamp", timestamp)
            line.field("startedAt", startedAt)
            line.field("updatedAt", updatedAt)
            line.field("staleAt", staleAt)
            if let alert {
                line.object("alert") {
                    $0.field("title", alert.title)
                    $0.field("body", alert.body)
                    $0.flag("sound", alert.hasSound)
                    $0.field("at", alert.at)
                }
            }
            line.field("isStale", isStale(at: now))
            line.field("endedAt", endedAt)
            line.field("dismissAt", dismissAt)
            line.field("updateToken", updateToken)
            line.field("channel", channel)
        }
    }
}
