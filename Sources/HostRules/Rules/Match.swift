/// Whether a pattern is about a call.
enum Match: Equatable {
    case yes, no
    /// Some of the call is not known before it runs.
    case maybe
}
