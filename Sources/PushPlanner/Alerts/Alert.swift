import RelayProtocol

/// One alert to a device, in words.
struct Alert {
    /// The kind; nil if the person tests whether pushes arrive.
    var kind: AlertKind?
    var text: AlertText
    /// Text on the Lock Screen until the device has opened the sealed one.
    var cover: AlertText
    var level: AlertLevel
    var thread: String
    /// Name of the notification. An alert replaces an earlier one of the same name.
    var replaces: String
    /// The session; nil for an alert of no single session, such as a digest.
    var session: SessionID?
    var approval: Approval?
    /// Approvals and questions that it rings for without showing their text.
    var calls: [CallName] = []
    /// Time after which it is not worth sending, in milliseconds since 1970.
    var worthUntil = Int64.max
}
