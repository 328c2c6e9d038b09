/// The app's report of its device and of the person's choices: the body of `PUT /v1/devices/<id>`.
public struct DeviceRegistration: Codable, Hashable, Sendable {
    public enum Environment: String, Codable, Sendable, CaseIterable {
        case production, sandbox
    }

    public enum Cards: String, Codable, Sendable, CaseIterable {
        case perSession
        /// One card for all sessions.
        case aggregate
        case off
    }

    /// When the relay starts cards by itself.
    public enum Starts: String, Codable, Sendable, CaseIterable {
        case never
        /// Only when a session waits for the person.
        case whenNeeded
        case always
    }

    /// Amount of text in a push, which anyone who sees the Lock Screen can read, and Apple.
    public enum Text: String, Codable, Sendable, CaseIterable {
        /// All text. Only with this one does an alert offer to allow.
        case full
        case summary, generic
        /// Alerts are ciphertext for `sealKey`; cards show counts only.
        case sealed
    }

    public enum Kind: String, Codable, Sendable, CaseIterable {
        case approval, question, error, finished, budget
    }

    /// Quiet hours from minute `from` of the day to minute `to`, past midnight if `to` is smaller.
    public struct Quiet: Codable, Hashable, Sendable {
        public var from: Int
        public var to: Int
        /// Time zone, such as `Europe/Berlin`.
        public var timeZone: String

        public init(from: Int, to: Int, timeZone: String) {
            self.from = from
            self.to = to
            self.timeZone = timeZone
        }
    }

    /// Times of the digest: alerts that need no answer are then sent in one notification, not one by one.
    public struct Gather: Codable, Hashable, Sendable {
        public enum When: String, Codable, Sendable, CaseIterable {
            case interval, daily
        }

        public let when: When
        public let minutes: Int?
        public let at: Int?
        public let timeZone: String?

        /// A digest that many minutes after the first alert, 5 to 1,440.
        public static func every(minutes: Int) -> Gather { Gather(when: .interval, minutes: minutes, at: nil, timeZone: nil) }

        /// A digest at this minute of the day, in a time zone such as `Europe/Berlin`.
        public static func daily(at minute: Int, timeZone: String) -> Gather {
            Gather(when: .daily, minutes: nil, at: minute, timeZone: timeZone)
        }
    }

    /// Id that the app makes once and keeps: 1 to 64 of `A-Z a-z 0-9 _ -`, such as a UUID.
    public var device: String
    public var name: String
    /// The relay's profile for this app, by name.
    public var profile: String
    public var environment: Environment
    /// The version of iOS, such as `18.1`.
    public var system: String
    /// Language of the relay's own words in alerts and on cards: a BCP 47 tag, such as `de-AT`.
    public var language: String?
    /// Tokens are written in hexadecimal digits.
    public var alertToken: String?
    public var startToken: String?
    /// Reported by the system; the app need not set it.
    public var frequentPushes = false
    public var cards = Cards.perSession
    public var starts = Starts.whenNeeded
    public var text = Text.summary
    /// Key of 32 bytes in base64, used with `sealed` only.
    public var sealKey: String?
    public var kinds = Kind.allCases
    /// Sessions that do not ring.
    public var muted: [String] = []
    public var quiet: Quiet?
    /// When alerts that need no answer are sent as a digest; nil to send them one by one. Approvals and questions always are.
    public var gather: Gather?
    /// True if the digest of `gather` also counts the calls that rules answered.
    public var countsRules = false
    /// True if no push to this device may contain a cost.
    public var hidesCost = false

    /// Nil unless `device` is an identifier.
    public init?(device: String, name: String, profile: String = "heliograph", environment: Environment, system: String) {
        guard DeepLink.isIdentifier(device) else { return nil }
        self.device = device
        self.name = name
        self.profile = profile
        self.environment = environment
        self.system = system
    }
}

/// The app's report of one of its cards: the body of `POST /v1/devices/<id>/cards`.
public struct CardReport: Codable, Hashable, Sendable {
    public enum State: String, Codable, Sendable, CaseIterable {
        case active, stale, ended, dismissed

        /// True if the card will never be updated again.
        public var isFinal: Bool { self == .ended || self == .dismissed }
    }

    /// Id of the activity.
    public var card: String
    /// The session; nil for the card of all sessions.
    public var session: String?
    /// The token for the card's updates, in hexadecimal digits; nil if not known yet.
    public var token: String?
    public var state: State

    public init(card: String, session: String?, token: String? = nil, state: State) {
        self.card = card
        self.session = session
        self.token = token
        self.state = state
    }
}
