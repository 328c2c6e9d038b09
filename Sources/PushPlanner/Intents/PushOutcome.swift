package import RelayProtocol

/// Outcome of a push.
package enum PushOutcome: Sendable, Equatable {
    /// Accepted by its service, in this environment; that shows nothing about the device. `channel` if one was made.
    case accepted(PushEnvironment, channel: String?)
    /// The push service refused it for good. `text` is its reason.
    case refused(PushAdvice, text: String)
    /// Unknown whether its service accepted it; a sentence.
    case unknown(String)
    /// The push never reached its service; a sentence for the operator says why.
    case notSent(String)

    /// True if it may have been delivered.
    var mayBeHeard: Bool {
        switch self {
        case .accepted, .unknown: true
        case .refused, .notSent: false
        }
    }

    var isAccepted: Bool { if case .accepted = self { true } else { false } }

    /// False if sending it again changes nothing: its service has it, or would refuse it again.
    var isToRepeat: Bool {
        switch self {
        case .accepted, .refused(.fixRequest, _), .refused(.markProfile, _): false
        case .refused, .unknown, .notSent: true
        }
    }
}

extension PushOutcome {
    /// The word for this outcome on the wire, in metrics and in lists.
    package var word: String {
        switch self {
        case .accepted: "accepted"
        case .refused: "refused"
        case .unknown: "unknown"
        case .notSent: "notSent"
        }
    }

    /// A sentence, or the service's reason; nil if there is none.
    package var text: String? {
        switch self {
        case .accepted: nil
        case .refused(_, let text), .unknown(let text), .notSent(let text): text
        }
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("result", word)
            writer.field("text", text)
            if case .refused(let advice, _) = self { writer.field("advice", advice.rawValue) }
            if case .accepted(let environment, let channel) = self {
                writer.field("environment", environment.rawValue)
                writer.field("channel", channel)
            }
        }
    }

    init(stored value: JSONValue) throws(WireError) {
        let text = try value.optionalString("text") ?? ""
        switch try value.string("result") {
        case "accepted": self = .accepted(try value.word("environment"), channel: try value.optionalString("channel"))
        case "refused": self = .refused(try value.word("advice"), text: text)
        case "unknown": self = .unknown(text)
        default: self = .notSent(text)
        }
    }
}
