internal import HostCore
internal import RelayProtocol

typealias ClaudeQuestion = AskedQuestion

/// One question of AskUserQuestion; Claude identifies the answer by the question's text.
extension AskedQuestion {
    /// Nil if the input is not a list of questions in the known form: then the tool is asked about like any other.
    static func all(in input: JSONValue?, clean: (String) -> String) -> [ClaudeQuestion]? {
        guard let list = input?.list("questions"), !list.isEmpty, list.count <= WireLimits.questionsMax else { return nil }
        var questions: [ClaudeQuestion] = []
        for (place, value) in list.enumerated() {
            guard let text = value.text("question"),
                let question = ClaudeQuestion(
                    value, place: place, text: text, isMultiple: value.isTrue("multiSelect"), clean: clean)
            else { return nil }
            questions.append(question)
        }
        // Answers to two equal questions would be ambiguous.
        return Set(questions.map(\.text)).count == questions.count ? questions : nil
    }

    /// Claude's form of the answer to this question; nil if the answer does not fit it.
    func value(of answers: [Answer]) -> String? {
        chosen(in: answers).map { ($0.labels + ($0.text.map { [$0] } ?? [])).joined(separator: ", ") }
    }
}
