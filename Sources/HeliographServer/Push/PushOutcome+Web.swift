import PushPlanner
import PushWeb
import RelayProtocol

extension PushOutcome {
    /// Maps an outcome at a browser's push service.
    init(_ outcome: WebPushOutcome) {
        switch outcome.result {
        case .accepted: self = .accepted(.production, channel: nil)
        case .refused(let refusal, let advice): self = .refused(PushAdvice(advice), text: refusal.sentence)
        case .unknown(let uncertainty): self = .unknown(uncertainty.sentence)
        case .notSent(let obstacle): self = .notSent(obstacle.sentence)
        }
    }
}

extension PushAdvice {
    fileprivate init(_ advice: WebPushAdvice) {
        self =
            switch advice {
            case .dropSubscription: .dropToken
            case .keepSubscription: .keepToken
            case .subscribeAnew: .quarantineToken
            case .fixRequest: .fixRequest
            case .fixCredentials: .fixCredentials
            case .sendLater: .sendLater
            }
    }
}

extension WebPushRefusal {
    fileprivate var sentence: String { text.isEmpty ? "\(status)" : "\(status) \(text)" }
}

extension WebPushUncertainty {
    fileprivate var sentence: String {
        switch self {
        case .timedOut: "it was sent, and no answer came in time"
        case .connectionLost: "it was sent, and the connection ended before the answer"
        case .reset(let sentence): "it was sent, and its stream was reset: \(sentence)"
        }
    }
}

extension WebPushObstacle {
    fileprivate var sentence: String {
        switch self {
        case .patienceOver(let trouble?): "it could not be sent in time: \(trouble)"
        case .patienceOver(nil): "it could not be sent in time"
        case .breakerOpen(let reason): "nothing is sent for now: the push service refuses our token (\(reason))"
        case .queueFull: "too many pushes wait already"
        case .superseded: "a later one took its place before it was sent"
        case .withdrawn: "it was withdrawn before it was sent"
        case .invalidRequest: "it cannot be encrypted or sent to this browser"
        case .stopped: "the relay was stopping"
        }
    }
}
