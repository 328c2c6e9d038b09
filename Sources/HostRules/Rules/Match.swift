/// Whether a pattern is about a call.
enum Match: Int, Comparable {
    case no
    /// Some of the call is not known before it runs.
    case maybe
    case yes

    static func < (one: Match, other: Match) -> Bool { one.rawValue < other.rawValue }
}
