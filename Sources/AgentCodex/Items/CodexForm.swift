package import HostCore
package import RelayProtocol

/// How the app-server takes the answer to one of its requests for approval.
///
/// Unasked, only what holds for this once is ever said: `acceptForSession` and amendments of rules are for a person to choose, by name.
/// `cancel` would interrupt the turn, and is never said. The protocol has no place for the words of a denial.
package struct CodexForm: AnswerForm {
    package let offers: [AgentOffer]
    /// Of a question of the model's.
    let userInput: CodexUserInput?

    init(offers: [AgentOffer] = [], userInput: CodexUserInput? = nil) {
        self.offers = offers
        self.userInput = userInput
    }

    package func allow(mode: String?) -> [UInt8]? { mode == nil && userInput == nil ? Self.decision("accept") : nil }

    package func choose(_ offer: AgentOffer, words: String?) -> [UInt8]? {
        JSONWriter.object { $0.raw("decision", offer.bytes) }
    }

    package func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? {
        userInput?.answer(answers)
    }

    /// Of an approval; a question is declined otherwise.
    package static func deny(_ words: String) -> [UInt8] { decision("decline") }

    private static func decision(_ word: String) -> [UInt8] { JSONWriter.object { $0.field("decision", word) } }
}
