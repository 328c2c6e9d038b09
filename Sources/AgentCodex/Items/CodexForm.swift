package import HostCore
package import RelayProtocol

/// Formats answers to one of the app-server's requests for approval.
///
/// Unless a person chose another option by name, an answer applies once: `acceptForSession` and amendments of rules are such
/// options. `cancel` would interrupt the turn, and is never used. The protocol has no place for the message of a denial.
package struct CodexForm: AnswerForm {
    package let offers: [AgentOffer]
    /// The model's questions; nil for other requests.
    let userInput: CodexUserInput?
    /// The form of a tool server; nil for other requests.
    let elicited: ElicitedForm?

    init(offers: [AgentOffer] = [], userInput: CodexUserInput? = nil, elicited: ElicitedForm? = nil) {
        self.offers = offers
        self.userInput = userInput
        self.elicited = elicited
    }

    package func allow(mode: String?) -> [UInt8]? {
        mode == nil && userInput == nil && elicited == nil ? Self.decision("accept") : nil
    }

    package func choose(_ offer: AgentOffer, words: String?) -> [UInt8]? {
        JSONWriter.object { $0.raw("decision", offer.bytes) }
    }

    package func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? {
        if let elicited { return elicited.answer(answers).map { ($0.values, Self.elicitation("accept", $0.content)) } }
        return userInput?.answer(answers)
    }

    /// The answer that denies a question.
    var declined: [UInt8] { elicited == nil ? CodexUserInput.declined : Self.elicitation("decline", Array("null".utf8)) }

    private static func elicitation(_ action: String, _ content: [UInt8]) -> [UInt8] {
        JSONWriter.object {
            $0.field("action", action)
            $0.raw("content", content)
        }
    }

    /// Denies an approval; questions use `declined` instead.
    package static func deny(_ words: String) -> [UInt8] { decision("decline") }

    private static func decision(_ word: String) -> [UInt8] { JSONWriter.object { $0.field("decision", word) } }
}
