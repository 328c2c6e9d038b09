internal import RelayProtocol

/// Turns what was typed into answers to an approval's questions.
enum AnswerParser {
    typealias Question = ApprovalText.Question

    /// `q0=Blue`, `q1=A,B`, and `q0=in my own words` for texts. Every question needs an answer.
    static func answers(
        to questions: [Question], choices: [String], texts: [String]
    ) throws(ClientError) -> [Answer] {
        var answers: [String: Answer] = [:]
        for (entry, isText) in choices.map({ ($0, false) }) + texts.map({ ($0, true) }) {
            guard let mark = entry.firstIndex(of: "=") else {
                throw ClientError(.usage, "“\(entry)” is not QUESTION=ANSWER", advice: names(questions))
            }
            let name = String(entry[..<mark])
            let value = String(entry[entry.index(after: mark)...])
            guard let question = questions.first(where: { $0.id == name }) else {
                throw ClientError(.usage, "there is no question “\(name)”", advice: names(questions))
            }
            var answer = answers[name] ?? Answer(question: name, choices: [])
            if isText {
                guard answer.text == nil, !value.isEmpty, value.utf8.count <= WireLimits.textBytesMax else {
                    throw ClientError(.usage, "“\(name)” takes one text of 1 to \(WireLimits.textBytesMax) bytes")
                }
                answer.text = value
            } else {
                for label in try labels(value, of: question) where !answer.choices.contains(label) {
                    answer.choices.append(label)
                }
            }
            guard question.isMultiple || answer.choices.count <= 1 else {
                throw ClientError(.usage, "“\(name)” takes one choice", advice: list(question))
            }
            answers[name] = answer
        }
        let missing = questions.filter { answers[$0.id] == nil }
        guard missing.isEmpty else {
            throw ClientError(
                .usage, "not answered: \(missing.map(\.id).joined(separator: ", "))",
                advice: missing.map(list).joined(separator: "\n"))
        }
        return questions.compactMap { answers[$0.id] }
    }

    /// One typed line: numbers or labels with commas between, or a label. Nil: it is an answer in the person's own words.
    static func typed(_ line: String, for question: Question) -> [String]? {
        try? labels(line, of: question)
    }

    /// What was understood, as it stood in the list.
    static func understood(_ labels: [String], for question: Question) -> String {
        question.choices.enumerated().filter { labels.contains($1.label) }
            .map { "\($0 + 1). \(VisibleText.exactLine($1.label))" }.joined(separator: ", ")
    }

    /// Numbers first, whatever the labels are: they are what stands before each choice. Then the whole text: a label may have commas.
    private static func labels(_ value: String, of question: Question) throws(ClientError) -> [String] {
        let places = value.split(separator: ",").map { numbered(trimmed($0), of: question) }
        let isListOfNumbers = !places.isEmpty && places.allSatisfy { $0 != nil }
        if isListOfNumbers, question.isMultiple || places.count == 1 { return places.compactMap(\.self) }
        if let label = label(value, of: question) { return [label] }
        var result: [String] = []
        for part in value.split(separator: ",") {
            guard let label = label(trimmed(part), of: question) else {
                throw ClientError(.usage, "“\(question.id)” has no choice “\(trimmed(part))”", advice: list(question))
            }
            result.append(label)
        }
        guard !result.isEmpty, question.isMultiple || result.count == 1 else {
            throw ClientError(.usage, "“\(question.id)” takes one choice", advice: list(question))
        }
        return result
    }

    private static func numbered(_ text: String, of question: Question) -> String? {
        guard let number = Int(text), question.choices.indices.contains(number - 1) else { return nil }
        return question.choices[number - 1].label
    }

    /// By number; by label, exactly; by label without regard to case, if that is one.
    private static func label(_ text: String, of question: Question) -> String? {
        if let label = numbered(text, of: question) { return label }
        if let exact = question.choices.first(where: { $0.label.utf8.elementsEqual(text.utf8) }) { return exact.label }
        let alike = question.choices.filter { $0.label.lowercased() == text.lowercased() }
        return alike.count == 1 ? alike[0].label : nil
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    private static func names(_ questions: [Question]) -> String {
        "questions: " + questions.map { VisibleText.exactLine($0.id) }.joined(separator: ", ")
    }

    private static func list(_ question: Question) -> String {
        let choices = question.choices.enumerated().map { "  \($0 + 1). \(VisibleText.exactLine($1.label))" }
        return ([VisibleText.exactLine("\(question.id): \(question.text)")] + choices).joined(separator: "\n")
    }
}
