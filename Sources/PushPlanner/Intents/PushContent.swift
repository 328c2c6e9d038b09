package import RelayProtocol

/// A push's content, before its channel converts it.
package enum PushContent: Sendable {
    case alert(AlertContent)
    case card(CardContent)
}

/// Degree to which an alert interrupts.
package enum AlertLevel: String, Sendable, CaseIterable {
    /// In the list only, without light or sound.
    case passive
    case active
    /// Breaks through a Focus, if the person permits it.
    case timeSensitive = "time-sensitive"
}

/// An alert, and what its app needs to open or decide.
package struct AlertContent: Sendable {
    /// Nil if the person only tests whether pushes arrive.
    package var kind: AlertKind?
    package var text: AlertText
    /// Name of the group in the list.
    package var thread: String
    /// Name of the notification. An alert replaces an earlier one of the same name.
    package var replaces: String
    package var level: AlertLevel
    package var session: SessionID?
    package var approval: ApprovalID?
    /// Details that the person permits, for a channel that shows them separately from `text`.
    package var details = Details()
    /// The session's sealed line; nil if its host does not seal, or there is no room.
    package var line: String?
    /// True if a code that decides is included: unsealed as the string `CODE`, which the runner replaces; sealed within the
    /// ciphertext.
    package var hasCode: Bool
    /// True if the text shows the whole input; with `isSealed` that text is the ciphertext.
    package var mayAllow: Bool
    /// True if `text` is generic. The runner adds the ciphertext, for which room is left.
    package var isSealed: Bool

    /// Single lines, each of which is also part of `text`.
    package struct Details: Sendable, Equatable {
        package var project: String?
        /// The session's title.
        package var title: String?
        /// Risks that deserve a second look.
        package var risks: [String] = []

        package init(project: String? = nil, title: String? = nil, risks: [String] = []) {
            (self.project, self.title, self.risks) = (project, title, risks)
        }
    }

    package init(
        kind: AlertKind?, text: AlertText, thread: String, replaces: String, level: AlertLevel, session: SessionID?,
        approval: ApprovalID?, hasCode: Bool, mayAllow: Bool, isSealed: Bool
    ) {
        (self.kind, self.text, self.thread, self.replaces, self.level) = (kind, text, thread, replaces, level)
        (self.session, self.approval) = (session, approval)
        (self.hasCode, self.mayAllow, self.isSealed) = (hasCode, mayAllow, isSealed)
    }
}

/// One message to a card.
package struct CardContent: Sendable {
    package enum Step: Sendable {
        /// The card begins, and listens to that broadcast channel if there is one.
        case start(listeningTo: String?)
        case update
        /// The card's last message. `dismissal` is when it leaves the Lock Screen, in seconds since 1970; a past time means at
        /// once.
        case end(dismissal: Int64)
    }

    package var step: Step
    package var subject: PushSubject
    /// In seconds since 1970, like `stale`. Each is larger than the one before.
    package var timestamp: Int64
    /// Time from which the card counts as stale; nil for never.
    package var stale: Int64?
    /// The card's own alert, when it begins or rings.
    package var alert: AlertText?
    package var rings = false
    package var isBroadcast: Bool
}
