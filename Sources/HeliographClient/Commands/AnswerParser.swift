internal import RelayProtocol

/// Turns typed text into answers to an approval's questions.
enum AnswerParser {
    typealias Question = ApprovalText.Question

    /// Reads `q0=Blue`, `q1=A,B`, and `q0=in my own words` for texts. Every question needs an answer.
    static func answers(
        to questions: [Question], choices: [String], texts: [String]
    ) throws(ClientError) -> [Answer] {
        var answers: [String: (places: [Int], text: String?)] = [:]
        for (entry, isText) in choices.map({ ($0, false) }) + texts.map({ ($0, true) }) {
            guard let mark = entry.firstIndex(of: "=") else {
                throw ClientError(.usage, "“\(entry)” is not QUESTION=ANSWER", advice: names(questions))
            }
            let name = String(entry[..<mark])
            let value = String(entry[entry.index(after: mark)...])
            guard let question = questions.first(where: { $0.id == name }) else {
                throw ClientError(.usage, "there is no question “\(name)”", advice: names(questions))
            }
            var answer = answers[name] ?? (places: [], text: nil)
            if isText {
                guard question.takesWords else {
                    throw ClientError(.usage, "“\(name)” takes no words of your own", advice: list(question))
                }
                guard answer.text == nil, !value.isEmpty, value.utf8.count <= WireLimits.textBytesMax else {
                    throw ClientError(.usage, "“\(name)” takes one text of 1 to \(WireLimits.textBytesMax) bytes")
                }
                answer.text = value
            } else {
                for place in try places(value, of: question) where !answer.places.contains(place) {
                    answer.places.append(place)
                }
            }
            guard question.isMultiple || answer.places.count <= 1 else {
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
        return questions.compactMap { question in
            answers[question.id].map { self.answer(to: question, $0.places, text: $0.text) }
        }
    }

    /// An answer by the indices of its choices, with the labels shown there.
    static func answer(to question: Question, _ places: [Int], text: String? = nil) -> Answer {
        Answer(
            question: question.id, choices: places.map { question.choices[$0].label },
            indexes: places.isEmpty ? nil : places.map { Int64($0) }, text: text)
    }

    /// Reads a typed line: numbers or labels with commas between, or one label. Nil if it is an answer in the person's own words.
    static func typed(_ line: String, for question: Question) -> [Int]? {
        try? places(line, of: question)
    }

    /// Instructions for the input.
    static func hint(for question: Question) -> String {
        let numbers = question.isMultiple ? "numbers" : "a number"
        guard !question.choices.isEmpty else { return "text" }
        return question.takesWords ? "\(numbers), or text" : numbers
    }

    /// The understood choices, with their numbers.
    static func understood(_ places: [Int], for question: Question) -> String {
        places.sorted().map { "\($0 + 1). \(VisibleText.exactLine(question.choices[$0].label))" }.joined(separator: ", ")
    }

    /// The indices of choices. Numbers are tried first, whatever the labels are, because they are shown before each choice; then
    /// the whole text, because a label may contain commas.
    private static func places(_ value: String, of question: Question) throws(ClientError) -> [Int] {
        let numbers = value.split(separator: ",").map { numbered(trimmed($0), of: question) }
        let isListOfNumbers = !numbers.isEmpty && numbers.allSatisfy { $0 != nil }
        if isListOfNumbers, question.isMultiple || numbers.count == 1 { return distinct(numbers.compactMap(\.self)) }
        if let place = place(value, of: question) { return [place] }
        var result: [Int] = []
        for part in value.split(separator: ",") {
            guard let place = place(trimmed(part), of: question) else {
                throw ClientError(.usage, "“\(question.id)” has no choice “\(trimmed(part))”", advice: list(question))
            }
            result.append(place)
        }
        result = distinct(result)
        guard !result.isEmpty, question.isMultiple || result.count == 1 else {
            throw ClientError(.usage, "“\(question.id)” takes one choice", advice: list(question))
        }
        return result
    }

    private static func numbered(_ text: String, of question: Question) -> Int? {
        guard let number = Int(text), question.choices.indices.contains(number - 1) else { return nil }
        return number - 1
    }

    /// The index of a choice: by number, by its exact label, or by its label ignoring case. A label that occurs twice does not
    /// count.
    private static func place(_ text: String, of question: Question) -> Int? {
        if let place = numbered(text, of: question) { return place }
        let places = question.choices.indices
        let exact = places.filter { question.choices[$0].label.utf8.elementsEqual(text.utf8) }
        let alike = exact.isEmpty ? places.filter { question.choices[$0].label.lowercased() == text.lowercased() } : exact
        return alike.count == 1 ? alike[0] : nil
    }

    private static func distinct(_ places: [Int]) -> [Int] {
        places.enumerated().filter { !places[..<$0].contains($1) }.map(\.element)
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
