import RelayModel

/// The time that history ages by.
///
/// It is the wall clock's for as long as that agrees with what the relay has seen of it. Where the wall clock jumped, within a run or
/// against the last one, nobody knows which of the two times was wrong, and to believe one that is ahead would remove what is young. So
/// history ages by the steady clock from there, until a person says that the wall clock is right, or it has gone on without another
/// jump for `confirmation`.
struct AgeClock: Sendable {
    /// All clocks in milliseconds.
    struct Limits {
        /// So far the wall clock may part from the steady one: it is set to the network's time, now and then.
        static let drift: Int64 = 60 * 60 * 1000
        /// So long a machine may have been off; the steady clock begins again with the machine. A long weekend.
        static let absence: Int64 = 3 * 24 * 60 * 60 * 1000
        /// A wall clock that goes on for so long is believed: nobody lives with a wrong one.
        static let confirmation: Int64 = 3 * 24 * 60 * 60 * 1000
    }

    private(set) var record: AgeClockRecord
    /// Lead of the wall clock over the steady one, as of the last reading.
    private var offset: Int64

    /// `record` is what the last run left. Where it left none, but a log, `newest` is the last that is known of its time.
    init(after record: AgeClockRecord?, newest: Int64?, boot: String, at now: Instant) {
        let start = AgeClockRecord(time: now.wall, wall: now.wall, uptime: now.uptime, boot: boot, steadyFor: nil)
        offset = now.wall - now.uptime
        self.record = record ?? newest.map { AgeClockRecord(time: $0, wall: $0, uptime: 0, boot: "", steadyFor: nil) } ?? start
        advance(to: now, boot: boot)
    }

    /// Lead of the wall clock over history's time while it is not trusted; nil while it is.
    var doubt: Int64? { record.steadyFor == nil ? nil : record.wall - record.time }

    /// In milliseconds since 1970.
    func time(at now: Instant) -> Int64 {
        record.steadyFor == nil ? now.wall : record.time + now.uptime - record.uptime
    }

    /// Notices a jump; to be called before anything goes by the time.
    mutating func follow(_ now: Instant) {
        if abs(now.wall - now.uptime - offset) > Limits.drift { advance(to: now) }
    }

    mutating func advance(to now: Instant) { advance(to: now, boot: record.boot) }

    /// The wall clock is right, says a person.
    mutating func confirm(at now: Instant) {
        advance(to: now)
        record.steadyFor = nil
        record.time = now.wall
    }

    private mutating func advance(to now: Instant, boot: String) {
        let isSameBoot = !boot.isEmpty && boot == record.boot && now.uptime >= record.uptime
        // Time that passed on the steady clock; nil if the machine was started since.
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
        // The clock is where it would be without any jump, or has been steady for long enough.
        if isRight(now.wall - before) || record.steadyFor ?? 0 >= Limits.confirmation { record.steadyFor = nil }
        record.time = record.steadyFor == nil ? now.wall : before + went
        record.wall = now.wall
        record.uptime = now.uptime
        record.boot = boot
        offset = now.wall - now.uptime
    }
}
