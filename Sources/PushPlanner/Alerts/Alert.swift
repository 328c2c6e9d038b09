import RelayProtocol

/// One alert to a device, in words.
struct Alert {
    /// Nil: the person tries whether pushes arrive.
    var kind: AlertKind?
    var text: AlertText
    var level: Payload.Level
    var thread: String
    var collapse: String
    var session: SessionID?
    var approval: Approval?
    /// What stands on the Lock Screen until the device has opened what is sealed.
    var cover: AlertText
    /// No longer than this, in milliseconds since 1970.
    var worthUntil = Int64.max
}
