/// When which connection is to be looked at, by times that are cut to steps: those of one step are looked at together.
struct DueTable {
    /// Greatest delay of a check.
    static let step = Duration.milliseconds(250)

    /// A step since the clock began.
    typealias Step = Int64
    static let never = Step.max

    private var connections: [Step: [UInt64]] = [:]
    private(set) var earliest = never

    mutating func add(_ connection: UInt64, at step: Step) {
        connections[step, default: []].append(connection)
        earliest = min(earliest, step)
    }

    /// Removes and returns the connections of the earliest step, if it is due.
    mutating func take(at now: MonotonicTime) -> (step: Step, connections: [UInt64])? {
        guard earliest != Self.never, Self.time(of: earliest) <= now, let due = connections.removeValue(forKey: earliest)
        else { return nil }
        defer { earliest = connections.keys.min() ?? Self.never }
        return (earliest, due)
    }

    /// The first that is not before this time.
    static func step(of time: MonotonicTime) -> Step {
        let (whole, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: step.wholeNanoseconds)
        return rest > 0 ? whole + 1 : whole
    }

    static func time(of step: Step) -> MonotonicTime { MonotonicTime(nanoseconds: step * Self.step.wholeNanoseconds) }
}
