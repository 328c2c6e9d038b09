package import RelayProtocol

/// How one question of an agent is answered in that agent's own words.
package protocol AnswerForm {
    /// Nil where the question does not offer that mode.
    func allow(mode: String?) -> [UInt8]?

    /// The answers as the agent will repeat them, and what it is handed; nil unless every question is answered with what it offers.
    func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])?

    /// Any question can be denied, also one that nobody has seen whole.
    static func deny(_ words: String) -> [UInt8]
}
