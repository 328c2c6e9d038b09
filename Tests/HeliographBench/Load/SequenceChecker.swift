/// Checks one subscriber's events of one session: consecutive numbers, and nothing else.
struct SequenceChecker: Sendable {
    /// The next number expected.
    private(set) var next: Int64
    /// True if live events may be dropped; they must still come in order and once.
    let allowsGaps: Bool
    private(set) var missed: Int64 = 0

    init(next: Int64, allowsGaps: Bool = false) {
        self.next = next
        self.allowsGaps = allowsGaps
    }

    /// `numbers` are consecutive. Nil if they also follow the earlier ones, else a complaint.
    mutating func take(_ numbers: ClosedRange<Int64>) -> String? {
        let first = numbers.lowerBound
        if first != next {
            guard first > next else { return "event \(first) came again or out of order: \(next) was to come" }
            guard allowsGaps else { return "events \(next) to \(first - 1) are missing: \(first) came" }
            missed += first - next
        }
        next = numbers.upperBound + 1
        return nil
    }
}
