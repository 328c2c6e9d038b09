/// The categories that the relay's alerts name, and the buttons that each has.
public enum AlertCategory: String, Sendable, CaseIterable {
    /// The whole input is in the alert.
    case approval = "HELIOGRAPH_APPROVAL"
    /// Part of the input is missing: it can be denied from the alert, but never allowed.
    case review = "HELIOGRAPH_APPROVAL_REVIEW"
    case question = "HELIOGRAPH_QUESTION"
    case status = "HELIOGRAPH_STATUS"

    /// The buttons, in order. Double Tap on a watch takes the first non-destructive one, which must never be Allow.
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

    /// In the app's language.
    public var title: String { title(KitLanguage.words()) }

    func title(_ words: any KitWords) -> String {
        switch self {
        case .deny: words.deny
        case .allow: words.allow
        case .review: words.review
        case .answer: words.answer
        case .open: words.open
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

    /// True for Allow only: a stranger who finds the phone cannot allow anything.
    public var needsUnlock: Bool { self == .allow }
    public var opensApp: Bool { self == .review || self == .answer || self == .open }
}
