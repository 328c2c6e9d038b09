/// Times at which connections have to be checked, rounded up to steps: those of one step are checked together.
struct DueTable {
    /// Greatest delay of a check.
    static let step = Duration.milliseconds(250)

    /// A number of steps since the clock's start.
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

    /// The first step at or after this time.
    static func step(of time: MonotonicTime) -> Step {
        let (whole, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: step.wholeNanoseconds)
        return rest > 0 ? whole + 1 : whole
    }

    static func time(of step: Step) -> MonotonicTime { MonotonicTime(nanoseconds: step * Self.step.wholeNanoseconds) }
}
