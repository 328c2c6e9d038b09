import PushAPNs
import PushPlanner
import RelayProtocol

extension PushOutcome {
    /// Maps an outcome at APNs.
    init(_ outcome: APNsOutcome) {
        switch outcome.result {
        case .accepted(let acceptance): self = .accepted(outcome.environment, channel: acceptance.channelID)
        case .refused(_, _, let text, let advice): self = .refused(advice, text: text)
        case .unknown(let uncertainty): self = .unknown(uncertainty.sentence)
        case .notSent(let obstacle): self = .notSent(obstacle.sentence)
        }
    }
}

extension APNsUncertainty {
    fileprivate var sentence: String {
        switch self {
        case .timedOut: "it was sent, and no answer came in time"
        case .connectionLost: "it was sent, and the connection ended before the answer"
        case .reset(let sentence): "it was sent, and its stream was reset: \(sentence)"
        }
    }
}

extension APNsObstacle {
    fileprivate var sentence: String {
        switch self {
        case .patienceOver(let trouble?): "it could not be sent in time: \(trouble)"
        case .patienceOver(nil): "it could not be sent in time"
        case .breakerOpen(let reason?): "nothing is sent for now: Apple refuses our key (\(reason.rawValue))"
        case .breakerOpen(nil): "nothing is sent for now: Apple refuses our key"
        case .queueFull: "too many pushes wait already"
        case .noKey(let sentence): sentence
        case .superseded: "a later one took its place before it was sent"
        case .withdrawn: "it was withdrawn before it was sent"
        case .invalidRequest: "a header of it cannot be sent"
        case .replaced: "pushes were set up again"
        case .stopped: "the relay was stopping"
        }
    }
}
