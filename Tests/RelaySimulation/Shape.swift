/// Length and density of a run: most are short and dense, some are long enough for timers of minutes.
package struct Shape: Sendable, Equatable {
    /// Virtual milliseconds with faults.
    package var duration: Int64
    /// Average virtual milliseconds between two actions of an agent.
    package var pace: Int64
    /// Number of events in a burst.
    package var burst = 12
    /// Probability that an agent's next step ends its session.
    package var endings = 0.02
    /// Probability per second that a budget is set.
    package var budgets = 0.05
    package var retentionAge: Int64?
    package var retentionBytes: Int64?
    /// Positions of removed sessions that are kept in memory: so few that many have to be read.
    package var removedSessionsMax = 2

    package static let short = Shape(duration: 40_000, pace: 2_000)
    /// For sessions that end and are removed, over several rounds of housekeeping.
    package static let long = Shape(
        duration: 1_500_000, pace: 60_000, endings: 0.3, retentionAge: 600_000, retentionBytes: 12 << 10)
    /// For a session that grows until its oldest events have to be removed.
    package static let bulky = Shape(duration: 700_000, pace: 60_000, burst: 250, endings: 0, retentionBytes: 40 << 10)
    /// For runs of hours.
    package static let soak = Shape(
        duration: 0, pace: 10_000, endings: 0.02, retentionAge: 3_600_000, retentionBytes: 256 << 10, removedSessionsMax: 32)

    static func drawn(by dice: inout Dice) -> Shape {
        switch dice.below(40) {
        case 0: .bulky
        case 1, 2: .long
        default: .short
        }
    }
}
