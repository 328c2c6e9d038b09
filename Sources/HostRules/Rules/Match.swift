/// The result of comparing a pattern with a call.
enum Match: Int, Comparable {
    case no
    /// A part of the call is not known before it runs, so that the pattern may or may not match.
    case maybe
    case yes

    static func < (one: Match, other: Match) -> Bool { one.rawValue < other.rawValue }
}
