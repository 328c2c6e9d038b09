import RelayProtocol

/// Timing of pushes. No service publishes its limits, so these are ours, well inside what apps have reported. Milliseconds unless
/// stated otherwise.
enum PushPolicy {
    /// Time for a live client to handle an approval before it rings.
    static let grace: Int64 = 3_000
    /// Time that a change of phase waits for the next one …
    static let settle: Int64 = 1_500
    /// … and at most in all, so that a card is right within two seconds.
    static let settleMax: Int64 = 1_800
    /// Minimum interval between two pushes about requests; an alert about one waits for nothing.
    static let waitingFloor: Int64 = 5_000
    /// Minimum interval before a card asks for attention again. The end of attention waits for nothing.
    static let attentionFloor: Int64 = 2_000
    /// Time from the last decision until the host has reported how it continues: most often some 10 ms.
    static let passing: Int64 = 1_000
    /// Time before a host counts as disconnected: it may return in a moment, as after a restart of the relay.
    static let awaySettle: Int64 = 30_000
    /// Minimum interval between two pushes of small changes to one card. They have low priority, which Apple does not count, and
    /// cards have been seen to be redrawn no more often.
    static let floor: Int64 = 15_000
    /// Time for which a push that the service does not keep is retried.
    static let progressWorth: Int64 = 60_000
    /// Age of the last urgent push from which a change of phase is urgent again.
    static let urgentInterval: Int64 = 60_000
    /// Urgent pushes to one device in a row …
    static let urgentBurst: Int64 = 6
    /// … of which these are reserved for approvals and questions, and the last for new ones …
    static let urgentReserve: Int64 = 3
    static let askingReserve: Int64 = 1
    /// … and the time after which one more is allowed. With frequent pushes three times as many.
    static let urgentRefill: Int64 = 180_000
    static let frequentFactor: Int64 = 3
    /// Share of its time to staleness after which a card is sent its state again. The rest is for failed attempts.
    static let refreshShare = (2, of: 3 as Int64)
    /// Time of inactivity after which a session's card ends.
    static let idleMax: Int64 = 600_000
    /// Age at which the system ends a card …
    static let systemAge: Int64 = 8 * 3_600_000
    /// … and how long before that ours is ended, so that a failed end has several attempts.
    static let endMargin: Int64 = 300_000
    /// Shorter runs end without an alert.
    static let finishedMin: Int64 = 60_000
    /// Time for the app to report a card started by push. Then another session's may be started; the same session's is not, because
    /// the first could not be ended.
    static let startPatience: Int64 = 300_000
    /// Starts by push on one device, within `startWindow`.
    static let startsMax = 4
    static let startWindow: Int64 = 3_600_000
    /// Wait after a push could not be delivered to its service …
    static let retryInterval: Int64 = 30_000
    /// … times the number of consecutive failures, up to this.
    static let retryIntervalMax: Int64 = 300_000
    /// Consecutive failed starts of a card, after which the next waits for something new to show.
    static let triesMax: Int64 = 5
    /// Longest time that a card is on the Lock Screen: eight hours, and four more after its end.
    static let cardAge: Int64 = 12 * 3_600_000
    /// Time for which a channel is kept after its card's end: the service stores the end that long for a phone that is offline.
    static let channelKept: Int64 = 3_600_000
    /// Attempts to delete a channel: about four days.
    static let deletionsMax: Int64 = 1_200
    /// Time for which an alert about an approval without an expiry is kept for an offline device, and for which its code returns
    /// the decision: Google keeps a message for 28 days, Apple for 30. A pending approval is decided by its code however long that
    /// takes.
    static let askedAge: Int64 = 28 * 86_400_000
    /// Earlier cards that are remembered by name: an app reports their fate when it is opened.
    static let earlierCardsMax = 8
    /// Time for which an alert about a past event is worth sending.
    static let alertAge: Int64 = 4 * 3_600_000

    /// Difference between wall clock and monotonic clock from which the former counts as set.
    static let clockJump: Int64 = 1_000

    /// Wait before the next attempt after that many consecutive failures, in milliseconds.
    static func wait(afterTries tries: Int64) -> Int64 { min(retryInterval * tries, retryIntervalMax) }
}

/// Token bucket of urgent pushes to a device.
struct PushBucket: Equatable {
    /// In thousandths of a push.
    var level: Int64
    /// Time of that level, in milliseconds since 1970.
    var at: Int64

    static func full(isFrequent: Bool, at now: Int64) -> PushBucket {
        PushBucket(level: burst(isFrequent) * 1_000, at: now)
    }

    enum Purpose {
        /// A new request to the person.
        case attention
        /// The last request is settled.
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

    /// Takes a push from the bucket. Returns false if there is none for this purpose.
    mutating func take(for purpose: Purpose, isFrequent: Bool, at now: Int64) -> Bool {
        let most = Self.burst(isFrequent) * 1_000
        let refill = isFrequent ? PushPolicy.urgentRefill / PushPolicy.frequentFactor : PushPolicy.urgentRefill
        // A clock that was set back refills nothing.
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
