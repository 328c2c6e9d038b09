internal import HostCore
internal import RelayProtocol

/// One question to a person, as the program wrote it: the wire's QUESTION.
struct LocalQuestion: Sendable {
    private struct Choice {
        let label: String
        let description: String?
    }

    private let id: String
    private let text: String
    private let header: String?
    private let isMultiple: Bool
    private let takesWords: Bool
    private let choices: [Choice]

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
            let takesWords = try !entry.flag("choicesOnly")
            guard takesWords || !choices.isEmpty else {
                throw WireError(.badValue, at: "$.questions", "nothing can be answered")
            }
            questions.append(
                LocalQuestion(
                    id: try entry.name("id"), text: try entry.string("text", bytesMax: WireLimits.textBytesMax),
                    header: try entry.optionalString("header", bytesMax: WireLimits.lineBytesMax),
                    isMultiple: try entry.flag("multiple"), takesWords: takesWords, choices: choices))
        }
        guard Set(questions.map(\.id)).count == questions.count else {
            throw WireError(.badValue, at: "$.questions", "two have the same id")
        }
        return questions
    }

    /// The question, redacted for people; choices that look alike are made distinguishable.
    func asked(_ clean: (String) -> String) -> AskedQuestion {
        let shown = ShownLabels.apart(choices.map { clean($0.label) })
        return AskedQuestion(
            id: id, text: text, shownText: clean(text), header: header.map(clean), isMultiple: isMultiple,
            choices: zip(choices, shown).map {
                AskedQuestion.Choice(label: $0.label, shownLabel: $1, description: $0.description.map(clean))
            }, takesWords: takesWords)
    }
}
