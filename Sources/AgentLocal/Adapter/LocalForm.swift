package import HostCore
package import RelayProtocol

/// The answers to a program's question, as JSON.
package struct LocalForm: AnswerForm {
    /// The questions, redacted for people.
    let questions: [AskedQuestion]
    /// The form whose fields the questions are; nil if they come from elsewhere.
    private let elicited: ElicitedForm?
    private let options: [LocalOption]?
    package let offers: [AgentOffer]
    package let editable: [String]

    /// Nil for a form that people could not be shown whole.
    init?(_ ask: LocalAsk, _ cleaner: Cleaner) {
        if let form = ask.form {
            guard let elicited = ElicitedForm(message: form.message, schema: form.schema, clean: cleaner.clean) else {
                return nil
            }
            self.elicited = elicited
            questions = elicited.questions
        } else {
            elicited = nil
            questions = ask.questions.map { $0.asked(cleaner.clean) }
        }
        options = ask.options
        offers = LocalOption.offers(of: ask.options ?? [], cleaner)
        editable = EditedInput.editable(ask.editable, in: ask.input)
    }

    /// The plain allow; nil if no option allows just once.
    package func allow(mode: String?) -> [UInt8]? { mode == nil ? plainAllow() : nil }

    package func allow(edited input: [UInt8]) -> [UInt8]? { plainAllow(of: input) }

    /// `input`: the one that a person has edited.
    private func plainAllow(of input: [UInt8]? = nil) -> [UInt8]? {
        let option = options.flatMap(LocalOption.plainAllow)
        guard options == nil || option != nil else { return nil }
        return JSONWriter.object {
            $0.field("decision", "allow")
            $0.field("option", option?.id)
            if let input { $0.raw("input", input) }
        }
    }

    package func choose(_ offer: AgentOffer, words: String?) -> [UInt8]? {
        JSONWriter.object {
            $0.field("decision", offer.shown.effect.rawValue)
            $0.field("message", words)
            $0.raw("option", offer.bytes)
        }
    }

    package static func deny(_ words: String) -> [UInt8] {
        JSONWriter.object {
            $0.field("decision", "deny")
            $0.field("message", words)
        }
    }

    /// The output of `deny`, with the option that rejects just once, if there is one.
    func naming(rejection output: [UInt8]) -> [UInt8] {
        guard let option = options.flatMap(LocalOption.plainDenial) else { return output }
        return output.dropLast() + Array(",\"option\":".utf8) + JSONWriter.string(option.id) + [UInt8(ascii: "}")]
    }

    package func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? {
        if let elicited {
            return elicited.answer(answers).map { filledIn in
                let output = JSONWriter.object {
                    $0.field("decision", "answer")
                    $0.raw("content", filledIn.content)
                }
                return (filledIn.values, output)
            }
        }
        guard answers.count == questions.count else { return nil }
        var chosen: [Answer] = []
        for question in questions {
            guard let answer = Self.answer(to: question, answers) else { return nil }
            chosen.append(answer)
        }
        let output = JSONWriter.object {
            $0.field("decision", "answer")
            Answer.write(chosen, to: &$0)
        }
        return (chosen.map { ($0.question, ($0.choices + [$0.text ?? ""]).joined(separator: "\n")) }, output)
    }

    /// The answer with the program's own labels; nil if it does not fit.
    private static func answer(to question: AskedQuestion, _ answers: [Answer]) -> Answer? {
        guard question.chosen(in: answers) != nil, var answer = answers.first(where: { $0.question == question.id }),
            let places = answer.places(in: question.choices.map(\.shownLabel))
        else { return nil }
        (answer.choices, answer.indexes) = (places.map { question.choices[$0].label }, places.map { Int64($0) })
        return answer
    }
}
