import RelayProtocol

/// When what is pushed: no service publishes figures, so these are ours, and stay well inside what apps have reported. Milliseconds
/// where nothing else is said.
enum PushPolicy {
    /// What a live client is given to take an approval off our hands.
    static let grace: Int64 = 3_000
    /// A change of phase waits so long for the next one …
    static let settle: Int64 = 1_500
    /// … and no longer than this in all: a card is right within two seconds.
    static let settleMax: Int64 = 1_800
    /// Between two pushes about what waits for the person; an alert about it waits for nothing.
    static let waitingFloor: Int64 = 5_000
    /// Before a card says again that the person is waited for; that they no longer are waits for nothing.
    static let attentionFloor: Int64 = 2_000
    /// From the last decision, until the host has it and says how it goes on: most often some 10 ms.
    static let passing: Int64 = 1_000
    /// A host that is away may be back in a moment, as after a restart of the relay.
    static let awaySettle: Int64 = 30_000
    /// Between two pushes of small changes to one card: they go when it is convenient, which Apple does not count, and people have seen cards
    /// drawn no more often.
    static let floor: Int64 = 15_000
    /// A push that is not kept is tried for so long.
    static let progressWorth: Int64 = 60_000
    /// A change of phase goes at once if the last push that did is as old.
    static let urgentInterval: Int64 = 60_000
    /// What goes at once to one device: so many in a row …
    static let urgentBurst: Int64 = 6
    /// … of which these are kept for approvals and questions, the last of them for those that are asked …
    static let urgentReserve: Int64 = 3
    static let askingReserve: Int64 = 1
    /// … and one more after each of these. With frequent pushes three times as much.
    static let urgentRefill: Int64 = 180_000
    static let frequentFactor: Int64 = 3
    /// A card that would go stale is told what it shows once more when so much of that time has passed: what is left is for tries
    /// that fail.
    static let refreshShare = (2, of: 3 as Int64)
    /// A card whose session does nothing for so long ends.
    static let idleMax: Int64 = 600_000
    /// The system ends a card of this age …
    static let systemAge: Int64 = 8 * 3_600_000
    /// … so ours comes so long before at the latest: a failed end has several tries.
    static let endMargin: Int64 = 300_000
    /// Runs that were shorter end in silence.
    static let finishedMin: Int64 = 60_000
    /// From a start by push until the app tells of the card. Then another session's may be started; of this one no second is, as
    /// nobody could end the first.
    static let startPatience: Int64 = 300_000
    /// Starts by push on one device, within `startWindow`.
    static let startsMax = 4
    static let startWindow: Int64 = 3_600_000
    /// After a push that its service could not be given …
    static let retryInterval: Int64 = 30_000
    /// … longer each time it fails in a row, up to this.
    static let retryIntervalMax: Int64 = 300_000
    /// Starts of a card that may fail in a row before we wait for something new to say.
    static let triesMax: Int64 = 5
    /// A card is on the Lock Screen no longer than this: eight hours, and four more after its end.
    static let cardAge: Int64 = 12 * 3_600_000
    /// A channel is kept so long after its card's end, which the service stores as long for a phone that is offline.
    static let channelKept: Int64 = 3_600_000
    /// A channel is tried to be deleted so often in all: about four days.
    static let deletionsMax: Int64 = 1_200
    /// An alert about an approval without a date is kept for so long for a device that is away, and its code says for so long what was decided:
    /// Google keeps a message for 28 days, Apple for 30. A pending approval is decided by its code however long that takes.
    static let askedAge: Int64 = 28 * 86_400_000
    /// So many earlier cards are known by name: an app that is opened tells of what became of them.
    static let earlierCardsMax = 8
    /// How long an alert about something past is worth showing.
    static let alertAge: Int64 = 4 * 3_600_000

    /// A wall clock that parts so far from the steady one has been set.
    static let clockJump: Int64 = 1_000

    /// The wait before the next try after that many failures in a row, ms.
    static func wait(afterTries tries: Int64) -> Int64 { min(retryInterval * tries, retryIntervalMax) }
}

/// Pushes that may still go to a device at once.
struct PushBucket: Equatable {
    /// In thousandths of a push.
    var level: Int64
    /// When that was so, in milliseconds since 1970.
    var at: Int64

    static func full(isFrequent: Bool, at now: Int64) -> PushBucket {
        PushBucket(level: burst(isFrequent) * 1_000, at: now)
    }

    enum Purpose {
        /// The person is waited for.
        case attention
        /// The person is waited for no longer.
        case endOfAttention
        case other

        static func of(_ subject: PushSubject, isTurnedAway: Bool) -> Purpose {
            !subject.waiting.isEmpty ? .attention : isTurnedAway ? .endOfAttention : .other
        }

        fileprivate var leaves: Int64 {
            switch self {
            case .attention: 0
            case .endOfAttention: PushPolicy.askingReserve
            case .other: PushPolicy.urgentReserve
            }
        }
    }

    /// Takes one if there is one that this may have.
    mutating func take(for purpose: Purpose, isFrequent: Bool, at now: Int64) -> Bool {
        let most = Self.burst(isFrequent) * 1_000
        let refill = isFrequent ? PushPolicy.urgentRefill / PushPolicy.frequentFactor : PushPolicy.urgentRefill
        // A clock that went back refills nothing.
        let elapsed = min(max(0, now - at), refill * PushPolicy.urgentBurst * PushPolicy.frequentFactor)
        level = min(most, level + elapsed * 1_000 / refill)
        at = now
        guard level >= (purpose.leaves + 1) * 1_000 else { return false }
        level -= 1_000
        return true
    }

    private static func burst(_ isFrequent: Bool) -> Int64 {
        isFrequent ? PushPolicy.urgentBurst * PushPolicy.frequentFactor : PushPolicy.urgentBurst
    }
}
