/// The relation of a pattern to a call.
enum Match: Int, Comparable {
    case no
    /// A part of the call is not known before it runs.
    case maybe
    case yes

    static func < (one: Match, other: Match) -> Bool { one.rawValue < other.rawValue }
}
