/// The categories that the relay's alerts name, and the buttons that each has.
public enum AlertCategory: String, Sendable, CaseIterable {
    /// The whole input is in the alert.
    case approval = "HELIOGRAPH_APPROVAL"
    /// Part of the input is missing: it can be denied from the alert, but never allowed.
    case review = "HELIOGRAPH_APPROVAL_REVIEW"
    case question = "HELIOGRAPH_QUESTION"
    case status = "HELIOGRAPH_STATUS"

    /// In the order of their buttons. Double Tap on a watch takes the first that destroys nothing: it must never allow.
    public var actions: [AlertAction] {
        switch self {
        case .approval: [.deny, .allow, .review]
        case .review: [.deny, .review]
        case .question: [.answer]
        case .status: [.open]
        }
    }
}

/// One button of an alert.
public enum AlertAction: String, Sendable, CaseIterable {
    case deny = "HELIOGRAPH_DENY"
    case allow = "HELIOGRAPH_ALLOW"
    case review = "HELIOGRAPH_REVIEW"
    case answer = "HELIOGRAPH_ANSWER"
    case open = "HELIOGRAPH_OPEN"

    public var title: String {
        switch self {
        case .deny: "Deny"
        case .allow: "Allow"
        case .review: "Review"
        case .answer: "Answer"
        case .open: "Open"
        }
    }

    public var symbol: String {
        switch self {
        case .deny: "xmark"
        case .allow: "checkmark"
        case .review: "doc.text.magnifyingglass"
        case .answer: "text.bubble"
        case .open: "arrow.up.forward.app"
        }
    }

    /// A stranger who finds the phone on the table cannot allow anything.
    public var needsUnlock: Bool { self == .allow }
    public var opensApp: Bool { self == .review || self == .answer || self == .open }
}
