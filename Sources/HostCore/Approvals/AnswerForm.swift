package import RelayProtocol

/// Formats answers to one question of an agent in that agent's own form.
package protocol AnswerForm {
    /// The agent's own options, as they are shown; each is chosen by its id alone.
    var offers: [AgentOffer] { get }

    /// The reply that allows; nil if the question does not offer that mode.
    func allow(mode: String?) -> [UInt8]?

    /// The reply that chooses one of `offers`. `words`: the message of a denial.
    func choose(_ offer: AgentOffer, words: String?) -> [UInt8]?

    /// Members of the input that a person may change; empty if the agent takes no other input than its own.
    var editable: [String] { get }

    /// The reply that allows the call with this input.
    func allow(edited input: [UInt8]) -> [UInt8]?

    /// The answers as the agent will repeat them, and the reply to hand over. Nil unless every question is answered with something
    /// that it offers.
    func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])?

    /// The reply that denies. Any question can be denied, also one that nobody has seen whole.
    static func deny(_ words: String) -> [UInt8]
}

extension AnswerForm {
    package var offers: [AgentOffer] { [] }

    package func choose(_ offer: AgentOffer, words: String?) -> [UInt8]? { nil }

    package var editable: [String] { [] }

    package func allow(edited input: [UInt8]) -> [UInt8]? { nil }

    /// The bytes for the offer of that id, if there is one with that effect.
    func choose(_ id: String, _ effect: Offer.Effect, words: String? = nil) -> [UInt8]? {
        let found = offers.filter { $0.shown.id == id }
        guard found.count == 1, found[0].shown.effect == effect else { return nil }
        return choose(found[0], words: words)
    }
}
