internal import HostCore
internal import RelayProtocol

/// The model's questions to the person, `item/tool/requestUserInput`: up to three, answered together.
struct CodexUserInput {
    static let method = "item/tool/requestUserInput"
    static let tool = "request_user_input"
    /// The terminal's prefix of an answer in the person's own words, if there were choices.
    private static let note = "user_note: "
    private static let noneOfThese = "None of the above"
    /// The answer that leaves all questions unanswered: the turn continues, and the model reads that.
    static let declined = JSONWriter.object { $0.object("answers") { _ in } }

    struct Question {
        /// Codex's own name of the question.
        let name: String
        let asked: AskedQuestion
    }

    let questions: [Question]

    /// Nil if only the terminal can ask: the input is secret, or its form unknown.
    init?(_ params: JSONValue, clean: (String) -> String) {
        let list = params.list("questions")
        guard !list.isEmpty, list.count <= WireLimits.questionsMax else { return nil }
        var questions: [Question] = []
        for (place, value) in list.enumerated() {
            guard let name = value.text("id"), let text = value.text("question"), !value.isTrue("isSecret"),
                let asked = AskedQuestion(
                    value, place: place, text: text, isMultiple: false, takesWords: value.isTrue("isOther"), clean: clean)
            else { return nil }
            questions.append(Question(name: name, asked: asked))
        }
        guard Set(questions.map(\.name)).count == questions.count else { return nil }
        self.questions = questions
    }

    /// The answer in the terminal's form; nil unless every question is answered with something that it offers.
    func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? {
        guard answers.count == questions.count else { return nil }
        var said: [(question: String, values: [String])] = []
        for question in questions {
            guard let chosen = question.asked.chosen(in: answers) else { return nil }
            let before = question.asked.choices.isEmpty ? [] : [Self.noneOfThese]
            said.append((question.name, chosen.text.map { before + [Self.note + $0] } ?? chosen.labels))
        }
        let output = JSONWriter.object {
            $0.object("answers") { writer in
                for (name, values) in said {
                    writer.raw(dynamic: name, JSONWriter.object { $0.strings("answers", values) })
                }
            }
        }
        return (said.map { ($0.question, $0.values.joined(separator: "\n")) }, output)
    }
}
