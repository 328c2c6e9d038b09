/// A person's choice for one question.
package struct Answer: Sendable, Equatable {
    package var question: String
    /// Labels of the chosen options, as they were shown.
    package var choices: [String]
    /// Indexes of the chosen options in the question's list, from 0; nil if the client sends labels only.
    package var indexes: [Int64]?
    /// An answer in the person's own words.
    package var text: String?

    package init(question: String, choices: [String], indexes: [Int64]? = nil, text: String? = nil) {
        self.question = question
        self.choices = choices
        self.indexes = indexes
        self.text = text
    }

    /// Indexes of the chosen options; nil if they do not fit the options that were shown. The option at each index must have the
    /// label that the answer gives. Without indexes, a label that occurs twice selects nothing.
    package func places(in shown: [String]) -> [Int]? {
        guard let indexes else {
            let places = choices.map { label in shown.indices.filter { shown[$0] == label } }
            return places.allSatisfy { $0.count == 1 } ? places.map { $0[0] } : nil
        }
        let places = indexes.map { Int($0) }
        guard places.count == choices.count, Set(places).count == places.count else { return nil }
        let isShown = zip(places, choices).allSatisfy { shown.indices.contains($0) && shown[$0] == $1 }
        return isShown ? places : nil
    }

    package static func list(from value: JSONValue) throws(WireError) -> [Answer] {
        var answers: [Answer] = []
        for entry in try value.array("answers", countMax: WireLimits.questionsMax) {
            var choices: [String] = []
            for choice in try entry.object().array("choices", countMax: WireLimits.questionsMax) {
                choices.append(try choice.string(bytesMax: WireLimits.textBytesMax))
            }
            var indexes: [Int64]?
            if entry.optional("indexes") != nil {
                indexes = []
                for index in try entry.array("indexes", countMax: WireLimits.questionsMax) {
                    indexes?.append(try index.integer(in: indexRange))
                }
            }
            answers.append(
                Answer(
                    question: try entry.string("question", bytesMax: WireLimits.nameBytesMax), choices: choices,
                    indexes: indexes,
                    text: try entry.optionalString("text", bytesMax: WireLimits.textBytesMax)))
        }
        guard answers.reduce(0, { $0 + $1.byteCount }) <= WireLimits.answersBytesMax else {
            throw WireError(.outOfRange, at: value.path + ".answers", "longer than \(WireLimits.answersBytesMax) bytes in all")
        }
        return answers
    }

    static let indexRange: ClosedRange<Int64> = 0...Int64(WireLimits.questionsMax - 1)

    /// Estimated size as JSON, with a few bytes for each entry's syntax.
    private var byteCount: Int {
        question.utf8.count + (text?.utf8.count ?? 0) + choices.reduce(32) { $0 + $1.utf8.count + 4 } + 3
            * (indexes?.count ?? 0)
    }

    package static func write(_ answers: [Answer], to writer: inout JSONWriter) {
        writer.array(
            "answers",
            answers.map { answer in
                JSONWriter.object {
                    $0.field("question", answer.question)
                    $0.strings("choices", answer.choices)
                    if let indexes = answer.indexes { $0.array("indexes", indexes.map { Array(String($0).utf8) }) }
                    $0.field("text", answer.text)
                }
            })
    }
}
