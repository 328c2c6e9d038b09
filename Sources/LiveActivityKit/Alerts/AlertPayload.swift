/// The relay's fields next to `aps` in an alert.
public struct AlertPayload: Sendable, Hashable {
    /// Nil: it is about several, or about none.
    public var session: String?
    public var approval: String?
    /// `approval`, `question`, `error`, `finished`, `budget`, `test`, or a word of a later relay.
    public var kind: String
    /// The right to decide this approval, once.
    public var code: String?
    /// The alert's text for this device alone, in base64.
    public var sealed: String?
    /// Words that the session's host has sealed for its devices; the alert's own words then name nothing.
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

    /// Nil: just into the app.
    public var link: DeepLink? {
        guard let session else { return nil }
        return approval.map { .approval(session: session, id: $0) } ?? .session(session)
    }
}

/// The action to take after a tap on an alert or one of its buttons.
public enum AlertResponse: Sendable, Hashable {
    /// `shown`: the words of the alert. Nil: they are not known.
    case decide(Verdict, AlertPayload, shown: ShownAlert?)
    /// Nil: nothing in particular; the system has opened the app already.
    case open(DeepLink?)

    /// `action` is one of ours, or the system's own for a tap on the alert. Nil: nothing, such as for an alert swept away.
    public init?(action: String, category: String, payload: AlertPayload, shown: ShownAlert? = nil) {
        guard let action = AlertAction(rawValue: action) else {
            guard action == Self.tapped else { return nil }
            self = .open(payload.link)
            return
        }
        switch action {
        case .deny: self = .decide(.deny(), payload, shown: shown)
        // A category that has no such button, or that we do not know: the person did not see what would be allowed.
        case .allow where AlertCategory(rawValue: category)?.actions.contains(.allow) == true:
            self = .decide(.allow, payload, shown: shown)
        case .allow, .review, .answer, .open: self = .open(payload.link)
        }
    }

    /// `UNNotificationDefaultActionIdentifier`.
    static let tapped = "com.apple.UNNotificationDefaultActionIdentifier"
}
