import RelayProtocol

/// One alert to a device, in words.
struct Alert {
    /// Nil: the person tries whether pushes arrive.
    var kind: AlertKind?
    var text: AlertText
    /// Text on the Lock Screen until the device has opened the sealed one.
    var cover: AlertText
    var level: AlertLevel
    var thread: String
    /// However often it is sent, the person sees one notification of this name.
    var replaces: String
    /// Nil: of no session, as a digest is.
    var session: SessionID?
    var approval: Approval?
    /// Approvals and questions that it rings for without a word of any.
    var calls: [CallName] = []
    /// No longer than this, in milliseconds since 1970.
    var worthUntil = Int64.max
}
