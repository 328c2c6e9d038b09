import RelayModel

/// The clock by which retention measures age.
///
/// It follows the wall clock as long as that agrees with earlier readings. If the wall clock jumps, within a run or since the last
/// one, it is unknown which of the two times is wrong, and trusting one that is ahead would remove recent history. So from then on
/// this clock follows the steady clock, until a person confirms the wall clock, or it has run without another jump for
/// `confirmation`.
struct AgeClock: Sendable {
    /// Limits of the clock, all in milliseconds.
    struct Limits {
        /// Tolerated difference between the wall clock and the steady one: now and then the wall clock is set to the network's
        /// time.
        static let drift: Int64 = 60 * 60 * 1000
        /// Longest time for which a machine may have been off, after which the steady clock starts again: a long weekend.
        static let absence: Int64 = 3 * 24 * 60 * 60 * 1000
        /// Time without a jump after which the wall clock is trusted again: a wrong clock would have been corrected by then.
        static let confirmation: Int64 = 3 * 24 * 60 * 60 * 1000
    }

    private(set) var record: AgeClockRecord
    /// Lead of the wall clock over the steady one at the last reading.
    private var offset: Int64

    /// `record`: written by the last run. Without it, `newest` is the latest time known from the log; nil if there is no log.
    init(after record: AgeClockRecord?, newest: Int64?, boot: String, at now: Instant) {
        let start = AgeClockRecord(time: now.wall, wall: now.wall, uptime: now.uptime, boot: boot, steadyFor: nil)
        offset = now.wall - now.uptime
        self.record = record ?? newest.map { AgeClockRecord(time: $0, wall: $0, uptime: 0, boot: "", steadyFor: nil) } ?? start
        advance(to: now, boot: boot)
    }

    /// Lead of the wall clock over this clock while the wall clock is not trusted; nil while it is.
    var doubt: Int64? { record.steadyFor == nil ? nil : record.wall - record.time }

    /// This clock's time, in milliseconds since 1970.
    func time(at now: Instant) -> Int64 {
        record.steadyFor == nil ? now.wall : record.time + now.uptime - record.uptime
    }

    /// Detects a jump; called before the time is used.
    mutating func follow(_ now: Instant) {
        if abs(now.wall - now.uptime - offset) > Limits.drift { advance(to: now) }
    }

    mutating func advance(to now: Instant) { advance(to: now, boot: record.boot) }

    /// A person has confirmed that the wall clock is right.
    mutating func confirm(at now: Instant) {
        advance(to: now)
        record.steadyFor = nil
        record.time = now.wall
    }

    private mutating func advance(to now: Instant, boot: String) {
        let isSameBoot = !boot.isEmpty && boot == record.boot && now.uptime >= record.uptime
        // Time that passed on the steady clock; nil if the machine has restarted since.
        let passed: Int64? = isSameBoot ? now.uptime - record.uptime : nil
        func isRight(_ shown: Int64) -> Bool {
            passed.map { abs(shown - $0) <= Limits.drift } ?? (-Limits.drift...Limits.absence).contains(shown)
        }
        let shown = now.wall - record.wall
        let isSteady = isRight(shown)
        let before = record.time
        let went = passed ?? (isSteady ? max(0, shown) : 0)
        if let steadyFor = record.steadyFor {
            record.steadyFor = isSteady ? steadyFor + went : 0
        } else if !isSteady {
            record.steadyFor = 0
        }
        // The wall clock shows the time that it would without any jump, or has been steady for long enough.
        if isRight(now.wall - before) || record.steadyFor ?? 0 >= Limits.confirmation { record.steadyFor = nil }
        record.time = record.steadyFor == nil ? now.wall : before + went
        record.wall = now.wall
        record.uptime = now.uptime
        record.boot = boot
        offset = now.wall - now.uptime
    }
}
