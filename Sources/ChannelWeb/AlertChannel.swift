package import PushPlanner
package import RelayProtocol

/// A channel without cards, whose services support an urgency, and messages that replace others.
package protocol AlertChannel: PushChannel {}

extension AlertChannel {
    package func canBroadcast(to device: Device) -> Bool { false }

    package func face(of subject: PushSubject, on device: Device, isBroadcast: Bool) -> [UInt8] {
        preconditionFailure("this channel has no cards")
    }

    // MARK: - On disk, and as clients see it

    package func write(_ intent: PushIntent, to record: inout JSONWriter) {
        record.flag("convenient", intent.urgency == .whenConvenient)
        record.flag("kept", intent.isKept)
        record.field("replaces", intent.replaces)
    }

    package func read(_ intent: inout PushIntent, from record: JSONValue) throws(WireError) {
        intent.urgency = try record.flag("convenient") ? .whenConvenient : .atOnce
        intent.isKept = try record.flag("kept")
        intent.replaces = try record.optionalString("replaces")
    }

    /// Priorities on Apple's scale, so that lists of pushes have one scale.
    package func show(_ intent: PushIntent, to writer: inout JSONWriter) {
        writer.field("priority", Int64(intent.urgency == .atOnce ? 10 : 5))
        writer.field("collapse", intent.replaces)
    }
}
