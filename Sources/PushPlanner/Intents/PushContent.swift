package import RelayProtocol

/// A push's content, before its channel has put it into its own form.
package enum PushContent: Sendable {
    case alert(AlertContent)
    case card(CardContent)
}

/// Degree to which an alert interrupts.
package enum AlertLevel: String, Sendable, CaseIterable {
    /// Into the list, without light or sound.
    case passive
    case active
    /// Through a Focus, if the person lets it.
    case timeSensitive = "time-sensitive"
}

/// An alert, and what its app needs to open or decide.
package struct AlertContent: Sendable {
    /// Nil if the person only tests whether pushes arrive.
    package var kind: AlertKind?
    package var text: AlertText
    /// Name of the group in the list.
    package var thread: String
    /// The person sees one notification of this name, however often it is sent.
    package var replaces: String
    package var level: AlertLevel
    package var session: SessionID?
    package var approval: ApprovalID?
    /// Details that the person lets be said, for a channel that has a place for them besides `text`.
    package var details = Details()
    /// The session's sealed line; nil if its host does not seal, or there is no room.
    package var line: String?
    /// A code that decides goes with it: in the open the string `CODE`, which the runner replaces; sealed within the ciphertext.
    package var hasCode: Bool
    /// The text shows the whole input; with `isSealed` that text is the ciphertext.
    package var mayAllow: Bool
    /// The words are for everybody. The runner adds the ciphertext, for which room is left.
    package var isSealed: Bool

    /// Each is a line of what is in `text` as well.
    package struct Details: Sendable, Equatable {
        package var project: String?
        /// The session's title.
        package var title: String?
        /// What to look at twice.
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
        /// The card begins; with a name it listens to that broadcast channel.
        case start(listeningTo: String?)
        case update
        /// The last of a card. `dismissal`: when it leaves the Lock Screen, in seconds since 1970; what is past is at once.
        case end(dismissal: Int64)
    }

    package var step: Step
    package var subject: PushSubject
    /// In seconds since 1970, as `stale`. Each is larger than the one before.
    package var timestamp: Int64
    /// From then on it counts as stale; nil: never.
    package var stale: Int64?
    /// An alert of the card itself, when it begins or rings.
    package var alert: AlertText?
    package var rings = false
    package var isBroadcast: Bool
}
