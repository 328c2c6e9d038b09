import PushPlanner

extension PushOutcome? {
    /// Nobody may have heard the push, as far as who sent it knows.
    var mayBeUnheard: Bool {
        switch self {
        case .refused, .notSent, .unknown: true
        case .accepted, nil: false
        }
    }
}
