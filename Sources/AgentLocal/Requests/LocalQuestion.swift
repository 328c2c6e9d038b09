internal import HostCore
internal import RelayProtocol

/// One question to a person, as the program wrote it: the wire's QUESTION.
struct LocalQuestion: Sendable {
    struct Choice {
        let label: String
        let description: String?
    }

    let id: String
    let text: String
    let header: String?
    let isMultiple: Bool
    let choices: [Choice]

    static func list(from root: JSONValue) throws(WireError) -> [LocalQuestion] {
        let entries = try root.array("questions", countMax: WireLimits.questionsMax)
        guard !entries.isEmpty else { throw WireError(.badValue, at: "$.questions", "nothing is asked") }
        var questions: [LocalQuestion] = []
        for entry in entries {
            var choices: [Choice] = []
            for choice in try entry.object().array("choices", countMax: WireLimits.questionsMax) {
                choices.append(
                    Choice(
                        label: try choice.object().string("label", bytesMax: WireLimits.lineBytesMax),
                        description: try choice.optionalString("description", bytesMax: WireLimits.textBytesMax)))
            }
            questions.append(
                LocalQuestion(
                    id: try entry.name("id"), text: try entry.string("text", bytesMax: WireLimits.textBytesMax),
                    header: try entry.optionalString("header", bytesMax: WireLimits.lineBytesMax),
                    isMultiple: try entry.flag("multiple"), choices: choices))
        }
        guard Set(questions.map(\.id)).count == questions.count else {
            throw WireError(.badValue, at: "$.questions", "two have the same id")
        }
        return questions
    }

    /// As people see its choices: two that look alike are told apart.
    func shownLabels(_ clean: (String) -> String) -> [String] { ShownLabels.apart(choices.map { clean($0.label) }) }

    /// As a notification shows it.
    func shown(_ clean: (String) -> String) -> ShownQuestion {
        ShownQuestion(
            text: clean(text), choices: zip(choices, shownLabels(clean)).map { ($1, $0.description.map(clean)) })
    }

    func bytes(_ clean: (String) -> String) -> [UInt8] {
        JSONWriter.object {
            $0.field("id", id)
            $0.field("text", clean(text))
            $0.field("header", header.map(clean))
            $0.flag("multiple", isMultiple)
            $0.array(
                "choices",
                zip(choices, shownLabels(clean)).map { choice, label in
                    JSONWriter.object {
                        $0.field("label", label)
                        $0.field("description", choice.description.map(clean))
                    }
                })
        }
    }

    /// What was chosen, in the program's own labels; nil where the answer does not fit.
    func chosen(in answers: [Answer], _ clean: (String) -> String) -> Answer? {
        let mine = answers.filter { $0.question == id }
        guard mine.count == 1, var answer = mine.first else { return nil }
        guard let places = answer.places(in: shownLabels(clean)) else { return nil }
        let labels = places.map { choices[$0].label }
        let count = labels.count + (answer.text?.isEmpty == false ? 1 : 0)
        guard count > 0, isMultiple || count == 1 else { return nil }
        (answer.choices, answer.indexes) = (labels, places.map { Int64($0) })
        return answer
    }
}
