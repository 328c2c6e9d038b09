/// A client's registration for push: what its app tells the relay of itself, and what its person wants to hear.
package struct Device: Sendable, Equatable {
    package var id: DeviceID
    package var name: String
    /// The profile of the app, by name; of a browser `web`, of a topic `ntfy`, of a receiver `receiver`.
    package var profile: String
    package var address: DeviceAddress
    /// The version of iOS, such as `18.1`; of a browser its name and the system's; of others their profile.
    package var system: String
    /// The person's choice in Settings: more updates of cards.
    package var hasFrequentPushes = false
    package var cards = CardMode.perSession
    /// When the relay starts a card by itself.
    package var starts = CardStarts.whenNeeded
    package var text = PushText.summary
    /// 32 bytes in base64; with `sealed` only.
    package var sealKey: String?
    package var kinds = Set(AlertKind.allCases)
    package var muted: Set<SessionID> = []
    package var quiet: QuietHours?
    /// Nil: what needs no answer is told as it happens. Approvals and questions always are.
    package var gathering: Gathering?
    /// Nil: it is not told what a week has cost.
    package var weekly: WeeklyCosts?
    /// With `gathering`: its notification also counts the calls that rules answered.
    package var countsRules = false
    /// No push says what something cost.
    package var hidesCost = false
    /// For all but an app: its notifications may offer to allow. None of them can ask for an unlock before a button counts, and whoever can read
    /// a topic, or what a receiver does with a push, can use it, so only the person can say who that is.
    package var allowsOnLockScreen = false

    /// True if a notification that shows the whole input may offer to allow it. An app's own asks for an unlock first.
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

/// Amount of detail in a push, which anyone who sees the Lock Screen can read, and Apple.
package enum PushText: String, Sendable, CaseIterable {
    /// The whole command or question, as far as it fits.
    case full
    /// The host's text for lists.
    case summary
    /// "An agent needs approval".
    case generic
    /// Alerts are ciphertext for the device's key; cards show counts only.
    case sealed

    /// All that a browser gets is encrypted to it, and neither an app of ntfy nor a receiver opens what is sealed.
    package static let unsealed: [PushText] = [.full, .summary, .generic]
}

/// Reasons to ring for that a person can choose.
package enum AlertKind: String, Sendable, CaseIterable {
    case approval, question, error, finished, budget
}

/// From minute `from` of the day to minute `to`, in this time zone; over midnight where `to` is the smaller.
package struct QuietHours: Sendable, Equatable {
    package var from: Int64
    package var to: Int64
    /// Name in the tz database, such as `Europe/Berlin`.
    package var timeZone: String

    package init(from: Int64, to: Int64, timeZone: String) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }
}

/// An app's report of one of its cards.
package struct CardReport: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case active, stale, ended, dismissed
    }

    package var card: CardID
    /// Nil: the aggregate card.
    package var session: SessionID?
    /// Token for its updates. Nil: not known yet, or it listens to a channel.
    package var token: String?
    package var state: State

    package init(card: CardID, session: SessionID?, token: String?, state: State) {
        self.card = card
        self.session = session
        self.token = token
        self.state = state
    }
}
