import RelayProtocol

/// Decisions in the agent's own form.
extension PendingApproval {
    /// The part of the answer that is kept, and its bytes; nil if the question does not take it.
    func answer(to decision: Decision, _ digests: Digests) -> (HandedAnswer, [UInt8])? {
        let command = decision.command
        switch (decision.verdict, kind) {
        case (.allow, .tool): return form?.allow(mode: nil).map { (.allow(mode: nil, command), $0) }
        case (.allowIn(let mode), .tool): return form?.allow(mode: mode).map { (.allow(mode: mode, command), $0) }
        case (.allowWith(let offer, mode: nil), .tool):
            return form?.choose(offer, .allow).map { (.allow(offer: offer, command), $0) }
        case (.allowEdited(let edit), .tool):
            guard let edited = try? edited(by: edit) else { return nil }
            return form?.allow(edited: edited.bytes).map { (.edited(digests.answers(edited.texts), edit, command), $0) }
        case (.denyWith(let offer, let message), .tool):
            let words = Self.denial(message, by: decision.clientName)
            return form?.choose(offer, .deny, words: words).map { (.deny(words, offer: offer, command), $0) }
        case (.deny(let message), _):
            let words = Self.denial(message, by: decision.clientName)
            return (.deny(words, command), Form.deny(words))
        case (.answer(let answers), .question):
            return form?.answer(answers).map { (.answer(digests.answers($0.values), answers, command), $0.output) }
        default: return nil
        }
    }

    /// The bytes of an answer that was handed over before; nil if they cannot be made again.
    func output(again handed: HandedAnswer) -> [UInt8]? {
        switch (handed.kind, handed.offer, kind) {
        case (.allow(let mode), nil, .tool): form?.allow(mode: mode)
        case (.allow, let offer?, .tool): form?.choose(offer, .allow)
        case (.edited(_, let edit?), _, .tool): (try? edited(by: edit)).flatMap { form?.allow(edited: $0.bytes) }
        case (.deny(let words), let offer?, .tool): form?.choose(offer, .deny, words: words)
        case (.deny(let words), _, _): Form.deny(words)
        case (.answer(_, let answers?), _, .question): form?.answer(answers)?.output
        default: nil
        }
    }

    /// The text that the model reads, by which our denial is recognised later.
    private static func denial(_ message: String?, by name: String) -> String {
        if let message, !TextCut.trim(message).isEmpty { return message }
        return "Denied by \(TextCut.line(name, bytesMax: 200)) through Heliograph."
    }
}
