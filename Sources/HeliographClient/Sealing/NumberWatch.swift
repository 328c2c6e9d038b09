internal import Consent
internal import RelayProtocol

/// The numbers of one session's sealed events, in the order of the relay's log: what the relay leaves out, repeats or reorders shows in them.
struct NumberWatch {
    enum Verdict: Equatable {
        /// So many events are missing before it.
        case fits(missing: Int64)
        case repeated
        /// Its epoch is over.
        case outdated
    }

    private(set) var highest: Int64?
    private(set) var lowest: Int64?
    /// Numbers from here on were in another page.
    private var bound: Int64?
    private var epoch: EpochNumber = 0
    /// The relay has said that it skipped so many.
    private var skipped: Int64 = 0
    /// Events in between were not asked for.
    private var hasLookedAway = false

    init(below bound: Int64? = nil) { self.bound = bound }

    /// `newest`: of its host, for an event that has just happened.
    mutating func take(_ number: Int64, _ epoch: EpochNumber, newest: EpochNumber? = nil) -> Verdict {
        if number <= highest ?? 0 || number >= bound ?? .max { return .repeated }
        guard epoch >= max(self.epoch, newest ?? 0) else { return .outdated }
        let hole = highest.map { number - $0 - 1 } ?? 0
        let isExplained = hasLookedAway || hole == skipped
        lowest = lowest ?? number
        (highest, self.epoch, skipped, hasLookedAway) = (number, epoch, 0, false)
        return .fits(missing: isExplained ? 0 : hole)
    }

    mutating func skip(_ count: Int64) { skipped = skipped.sumSaturating(count) }
    mutating func lookAway() { hasLookedAway = true }
}
