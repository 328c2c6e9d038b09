package import RelayProtocol

/// One question of an agent to a person, as the agent wrote it and as people see it.
package struct AskedQuestion: Equatable, Sendable {
    package struct Choice: Equatable, Sendable {
        package var label: String
        package var shownLabel: String
        package var description: String?

        package init(label: String, shownLabel: String, description: String?) {
            self.label = label
            self.shownLabel = shownLabel
            self.description = description
        }
    }

    /// The question's id on the wire.
    package var id: String
    /// The agent's own text, not redacted.
    package var text: String
    package var shownText: String
    package var header: String?
    package var isMultiple: Bool
    package var choices: [Choice]
    /// True if free text is accepted as well.
    package var takesWords: Bool

    package init(
        id: String, text: String, shownText: String, header: String? = nil, isMultiple: Bool = false, choices: [Choice],
        takesWords: Bool
    ) {
        self.id = id
        self.text = text
        self.shownText = shownText
        self.header = header
        self.isMultiple = isMultiple
        self.choices = choices
        self.takesWords = takesWords
    }

    /// Nil if the question has more choices than can be shown. `place`: its index among the questions that are asked together.
    package init?(
        _ value: JSONValue, place: Int, text: String, isMultiple: Bool, takesWords: Bool = true, clean: (String) -> String
    ) {
        let options = value.list("options").compactMap { option in
            option.text("label").map { (label: $0, description: option.text("description").map(clean)) }
        }
        guard options.count <= WireLimits.questionsMax else { return nil }
        let shown = ShownLabels.apart(options.map { clean($0.label) })
        id = "q\(place)"
        self.text = text
        shownText = clean(text)
        header = value.text("header").map(clean)
        self.isMultiple = isMultiple
        choices = zip(options, shown).map { Choice(label: $0.label, shownLabel: $1, description: $0.description) }
        self.takesWords = takesWords || choices.isEmpty
    }

    package var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("id", id)
            $0.field("text", shownText)
            $0.field("header", header)
            $0.flag("multiple", isMultiple)
            $0.flag("choicesOnly", !takesWords)
            $0.array(
                "choices",
                choices.map { choice in
                    JSONWriter.object {
                        $0.field("label", choice.shownLabel)
                        $0.field("description", choice.description)
                    }
                })
        }
    }

    /// The redacted question in the form that notifications use.
    package var shown: ShownQuestion {
        ShownQuestion(text: shownText, choices: choices.map { (label: $0.shownLabel, description: $0.description) })
    }

    /// The parts of the questions by which an answer can be checked; empty if they are too long.
    package static func offers(of questions: [AskedQuestion]) -> [QuestionOffer] {
        let offers = questions.map {
            QuestionOffer(
                id: $0.id, choices: $0.choices.map(\.shownLabel), isMultiple: $0.isMultiple, isChoicesOnly: !$0.takesWords)
        }
        let bytes = offers.reduce(0) { $0 + $1.choices.reduce(32) { $0 + $1.utf8.count + 4 } }
        return bytes <= QuestionOffer.bytesMax ? offers : []
    }

    /// The answer to this question, in the agent's own labels; nil if it does not fit.
    package func chosen(in answers: [Answer]) -> (labels: [String], text: String?)? {
        let mine = answers.filter { $0.question == id }
        guard mine.count == 1, let answer = mine.first, let places = answer.places(in: choices.map(\.shownLabel)) else {
            return nil
        }
        let text = answer.text.flatMap { $0.isEmpty ? nil : $0 }
        let count = places.count + (text == nil ? 0 : 1)
        guard count > 0, isMultiple || count == 1, takesWords || text == nil else { return nil }
        return (places.map { choices[$0].label }, text)
    }
}
