/// A client's registration for push: what its app reports of itself, and the person's notification settings.
package struct Device: Sendable, Equatable {
    package var id: DeviceID
    package var name: String
    /// Name of the app's profile; `web` for a browser, `ntfy` for a topic, `receiver` for a receiver.
    package var profile: String
    package var address: DeviceAddress
    /// Version of iOS, such as `18.1`; for a browser its name and the system's; for others their profile.
    package var system: String
    /// Language of the relay's own words in a push: a BCP 47 tag such as `de-AT`. Nil: English.
    package var language: String?
    /// The person's choice in iOS Settings: more frequent updates of cards.
    package var hasFrequentPushes = false
    package var cards = CardMode.perSession
    /// When the relay starts a card by itself.
    package var starts = CardStarts.whenNeeded
    package var text = PushText.summary
    /// The key that seals the text of pushes, 32 bytes in base64. Needed if `text` is `sealed`.
    package var sealKey: String?
    package var kinds = Set(AlertKind.allCases)
    package var muted: Set<SessionID> = []
    package var mutedUntil: [SessionID: TimedMute] = [:]
    package var mutedProjects: Set<HostProject> = []
    package var quiet: QuietHours?
    /// When alerts that need no answer are sent. Nil: at once, as approvals and questions always are.
    package var gathering: Gathering?
    /// Settings of the weekly cost alert. Nil: there is none.
    package var weekly: WeeklyCosts?
    /// With `gathering`: the digest also counts the calls that rules answered.
    package var countsRules = false
    /// Pushes show no costs.
    package var hidesCost = false
    /// Notifications of a device that is no app may have a button to allow. The button cannot ask for an unlock, and anyone who can
    /// read the topic, or the receiver's pushes, can use it, so only the person can choose this.
    package var allowsOnLockScreen = false

    /// End of the time for which the session, or one of its approvals, is muted; nil if it is not, or is muted for good.
    package func silentUntil(_ session: SessionID, _ approval: ApprovalID? = nil, at now: Int64) -> Int64? {
        guard let mute = mutedUntil[session], mute.until > now else { return nil }
        if let approval, let asked = mute.asked, !asked.contains(approval) { return nil }
        return mute.until
    }

    /// True if the session is muted for good, by itself or with its project.
    package func isMuted(_ session: SessionID, of project: HostProject?) -> Bool {
        muted.contains(session) || project.map(mutedProjects.contains) == true
    }

    /// True if the person wants alerts of this kind about the session.
    package func wants(_ kind: AlertKind, about session: SessionID, of project: HostProject?) -> Bool {
        kinds.contains(kind) && !isMuted(session, of: project)
    }

    /// True if an alert of this kind, which needs no answer, may be sent about the session now.
    package func takes(_ kind: AlertKind, about session: SessionID, of project: HostProject?, at now: Int64) -> Bool {
        wants(kind, about: session, of: project) && silentUntil(session, at: now) == nil
    }

    /// True if a notification that shows the whole input may have a button to allow it. An app's button asks for an unlock first.
    package var takesAllow: Bool {
        switch address {
        case .apns: true
        case .web, .ntfy, .receiver: allowsOnLockScreen
        }
    }

    package static let profileOfBrowsers = "web"
    package static let profileOfTopics = "ntfy"
    package static let profileOfReceivers = "receiver"

    package init(id: DeviceID, name: String, profile: String, address: DeviceAddress, system: String) {
        self.id = id
        self.name = name
        self.profile = profile
        self.address = address
        self.system = system
    }
}

package enum CardMode: String, Sendable, CaseIterable {
    case perSession
    /// One card for all sessions.
    case aggregate
    case off
}

package enum CardStarts: String, Sendable, CaseIterable {
    case never
    /// When a session waits for the person.
    case whenNeeded
    case always
}

/// Amount of detail in a push, which Apple and anyone who sees the Lock Screen can read.
package enum PushText: String, Sendable, CaseIterable {
    /// The whole command or question, as far as it fits.
    case full
    /// A short text, as the host writes it for lists.
    case summary
    /// Only that something waits, such as "An agent needs approval".
    case generic
    /// Alerts are ciphertext for the device's key; cards show counts only.
    case sealed

    /// The values without `sealed`: what a browser gets is encrypted to it anyway, and neither ntfy's apps nor receivers can open
    /// sealed texts.
    package static let unsealed: [PushText] = [.full, .summary, .generic]
}

/// Reasons for an alert that a person can choose.
package enum AlertKind: String, Sendable, CaseIterable {
    case approval, question, error, finished, budget
}

/// From minute `from` of the day to minute `to` in this time zone; over midnight if `to` is smaller.
package struct QuietHours: Sendable, Equatable {
    package var from: Int64
    package var to: Int64
    /// Name in the tz database, such as `Europe/Berlin`.
    package var timeZone: String
    /// Approvals with risks ring all the same.
    package var exceptRisks: Bool

    package init(from: Int64, to: Int64, timeZone: String, exceptRisks: Bool = false) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.exceptRisks = exceptRisks
    }
}

/// An app's report on one of its cards.
package struct CardReport: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case active, stale, ended, dismissed
    }

    package var card: CardID
    /// Nil: the aggregate card.
    package var session: SessionID?
    /// Push token for the card's updates. Nil: not known yet, or the card listens to a channel.
    package var token: String?
    package var state: State

    package init(card: CardID, session: SessionID?, token: String?, state: State) {
        self.card = card
        self.session = session
        self.token = token
        self.state = state
    }
}
