/// The choices of one question: enough to check an answer before it is accepted.
package struct QuestionOffer: Sendable, Equatable {
    /// Limit for all questions of an approval together. A host leaves out longer ones, and the relay then does not check their
    /// answers.
    package static let bytesMax = 8 << 10

    package var id: String
    /// The choices' labels as shown to people.
    package var choices: [String]
    package var isMultiple: Bool
    /// True if free text is not accepted.
    package var isChoicesOnly: Bool

    package init(id: String, choices: [String], isMultiple: Bool, isChoicesOnly: Bool = false) {
        self.id = id
        self.choices = choices
        self.isMultiple = isMultiple
        self.isChoicesOnly = isChoicesOnly
    }

    package static func list(from head: JSONValue) throws(WireError) -> [QuestionOffer] {
        guard head.optional("questions") != nil else { return [] }
        var offers: [QuestionOffer] = []
        for entry in try head.array("questions", countMax: WireLimits.questionsMax) {
            var choices: [String] = []
            for choice in try entry.object().array("choices", countMax: WireLimits.questionsMax) {
                choices.append(try choice.string(bytesMax: WireLimits.textBytesMax))
            }
            offers.append(
                QuestionOffer(
                    id: try entry.string("id", bytesMax: WireLimits.nameBytesMax), choices: choices,
                    isMultiple: try entry.flag("multiple"), isChoicesOnly: try entry.flag("choicesOnly")))
        }
        return offers
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.strings("choices", choices)
        writer.flag("multiple", isMultiple)
        writer.flag("choicesOnly", isChoicesOnly)
    }

    /// True if every question is answered once, with an offered choice or, if the question accepts it, with free text, and nothing
    /// else is answered.
    package static func fit(_ answers: [Answer], _ offers: [QuestionOffer]) -> Bool {
        guard answers.count == offers.count else { return false }
        return offers.allSatisfy { offer in
            let mine = answers.filter { $0.question == offer.id }
            guard mine.count == 1, let answer = mine.first, answer.places(in: offer.choices) != nil else { return false }
            let hasWords = answer.text?.isEmpty == false
            guard !offer.isChoicesOnly || !hasWords else { return false }
            let parts = answer.choices.count + (hasWords ? 1 : 0)
            return offer.isMultiple ? parts > 0 : parts == 1
        }
    }
}
