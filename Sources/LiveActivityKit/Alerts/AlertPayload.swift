/// The relay's fields next to `aps` in an alert.
public struct AlertPayload: Sendable, Hashable {
    /// The session; nil if the alert is about several or none.
    public var session: String?
    public var approval: String?
    /// The kind: `approval`, `question`, `error`, `finished`, `budget`, `test`, or one added by a later relay.
    public var kind: String
    /// Code that permits one decision of this approval.
    public var code: String?
    /// The alert's text, sealed for this device alone, in base64.
    public var sealed: String?
    /// Text that the session's host has sealed for its devices; the plain text of the alert then names nothing.
    public var line: String?

    /// Throws `badPayload`.
    public init(userInfo: [AnyHashable: Any]) throws(LiveActivityError) {
        guard let fields = userInfo["heliograph"] as? [String: Any] else {
            throw LiveActivityError(.badPayload, "this alert is not from a relay")
        }
        session = try Self.identifier("session", fields)
        approval = try Self.identifier("approval", fields)
        kind = fields["kind"] as? String ?? ""
        code = fields["code"] as? String
        sealed = (fields["sealed"] ?? userInfo["sealed"]) as? String
        line = fields["line"] as? String
    }

    private static func identifier(_ key: String, _ fields: [String: Any]) throws(LiveActivityError) -> String? {
        guard let given = fields[key] else { return nil }
        guard let text = given as? String, DeepLink.isIdentifier(text) else {
            throw LiveActivityError(.badPayload, "the alert's \(key) is no identifier")
        }
        return text
    }

    /// The alert's `userInfo` with the code that was sealed in it.
    static func userInfo(_ userInfo: [AnyHashable: Any], with code: String) -> [AnyHashable: Any] {
        var fields = userInfo["heliograph"] as? [String: Any] ?? [:]
        fields["code"] = code
        return userInfo.merging(["heliograph": fields]) { _, new in new }
    }

    /// The view to open; nil for the app's start.
    public var link: DeepLink? {
        guard let session else { return nil }
        return approval.map { .approval(session: session, id: $0) } ?? .session(session)
    }
}

/// The action to take after a tap on an alert or one of its buttons.
public enum AlertResponse: Sendable, Hashable {
    /// A decision. `shown` is the text of the alert; nil if unknown.
    case decide(Verdict, AlertPayload, shown: ShownAlert?)
    /// A view to open; nil for none in particular: the system has opened the app already.
    case open(DeepLink?)

    /// `action` is one of ours, or the system's own for a tap on the alert. Nil if there is nothing to do, such as for a dismissed
    /// alert.
    public init?(action: String, category: String, payload: AlertPayload, shown: ShownAlert? = nil) {
        guard let action = AlertAction(rawValue: action) else {
            guard action == Self.tapped else { return nil }
            self = .open(payload.link)
            return
        }
        switch action {
        case .deny: self = .decide(.deny(), payload, shown: shown)
        // If the category is unknown or has no such button, the person did not see the input to allow.
        case .allow where AlertCategory(rawValue: category)?.actions.contains(.allow) == true:
            self = .decide(.allow, payload, shown: shown)
        case .allow, .review, .answer, .open: self = .open(payload.link)
        }
    }

    static let tapped = "com.apple.UNNotificationDefaultActionIdentifier"
}
