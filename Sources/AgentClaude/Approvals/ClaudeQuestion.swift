internal import HostCore
internal import RelayProtocol

/// One question of AskUserQuestion, as Claude wrote it and as people see it.
struct ClaudeQuestion: Equatable {
    struct Choice: Equatable {
        var label: String
        var shownLabel: String
        var description: String?
    }

    /// On the wire.
    var id: String
    /// What Claude knows the answer by.
    var text: String
    var shownText: String
    var header: String?
    var isMultiple: Bool
    var choices: [Choice]

    /// Nil where the input is not the list of questions that we know: then the tool is asked about like any other.
    static func all(in input: JSONValue?, clean: (String) -> String) -> [ClaudeQuestion]? {
        guard let list = input?.list("questions"), !list.isEmpty, list.count <= WireLimits.questionsMax else { return nil }
        var questions: [ClaudeQuestion] = []
        for (position, value) in list.enumerated() {
            guard let text = value.text("question") else { return nil }
            let choices = value.list("options").compactMap { option in
                option.text("label").map {
                    Choice(label: $0, shownLabel: clean($0), description: option.text("description").map(clean))
                }
            }
            guard choices.count <= WireLimits.questionsMax else { return nil }
            let shown = ShownLabels.apart(choices.map(\.shownLabel))
            questions.append(
                ClaudeQuestion(
                    id: "q\(position)", text: text, shownText: clean(text), header: value.text("header").map(clean),
                    isMultiple: value.isTrue("multiSelect"),
                    choices: zip(choices, shown).map { Choice(label: $0.label, shownLabel: $1, description: $0.description) }))
        }
        // Claude takes answers by the question's text: two alike could not be told apart.
        return Set(questions.map(\.text)).count == questions.count ? questions : nil
    }

    var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("id", id)
            $0.field("text", shownText)
            $0.field("header", header)
            $0.flag("multiple", isMultiple)
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

    /// The same for a notification.
    var shown: ShownQuestion {
        ShownQuestion(text: shownText, choices: choices.map { (label: $0.shownLabel, description: $0.description) })
    }

    /// What Claude is told for this question; nil where the answer does not fit it.
    func value(of answers: [Answer]) -> String? {
        let mine = answers.filter { $0.question == id }
        guard mine.count == 1, let answer = mine.first, let places = answer.places(in: choices.map(\.shownLabel)) else {
            return nil
        }
        var parts = places.map { choices[$0].label }
        if let text = answer.text, !text.isEmpty { parts.append(text) }
        guard !parts.isEmpty, isMultiple || parts.count == 1 else { return nil }
        return parts.joined(separator: ", ")
    }
}
