import PushPlanner

extension PushOutcome? {
    /// True if, as far as the sender knows, the push may not have arrived.
    var mayBeUnheard: Bool {
        switch self {
        case .refused, .notSent, .unknown: true
        case .accepted, nil: false
        }
    }
}
