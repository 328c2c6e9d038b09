internal import HeliographLink
internal import LiveActivityKit
internal import RelayProtocol

/// Conversions between the library's types and those of the wire.
extension LinkEnd {
    init(_ end: SocketEndError) {
        self =
            switch end {
            case .closed(let code, let reason): .peer(code: code, reason: reason)
            case .refused(let status): .refused(status: status)
            case .failed(let text): .failed(text)
            }
    }
}

extension Decision.Verdict {
    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .allow: .allow
            case .deny(let message): .deny(message: message)
            case .answer(let answers):
                .answer(
                    answers.map {
                        RelayProtocol.Answer(
                            question: $0.question, choices: $0.choices, indexes: $0.indexes?.map { Int64($0) },
                            text: $0.text)
                    })
            }
    }
}

extension DecisionReply.Winner {
    init(_ decision: Decision) {
        self.init(decision: decision.verdict.deed.rawValue, client: VisibleText.line(decision.clientName))
    }
}
