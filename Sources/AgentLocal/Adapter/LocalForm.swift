package import HostCore
package import RelayProtocol

/// How a program takes the answer to its question: as JSON.
package struct LocalForm: AnswerForm {
    private let questions: [LocalQuestion]
    private let options: [LocalOption]?
    private let cleaner: Cleaner
    package let offers: [AgentOffer]

    init(_ ask: LocalAsk, _ cleaner: Cleaner) {
        questions = ask.questions
        options = ask.options
        self.cleaner = cleaner
        offers = LocalOption.offers(of: ask.options ?? [], cleaner)
    }

    /// Where no option allows just once, nothing is allowed plainly.
    package func allow(mode: String?) -> [UInt8]? {
        guard mode == nil else { return nil }
        let option = options.flatMap(LocalOption.plainAllow)
        guard options == nil || option != nil else { return nil }
        return JSONWriter.object {
            $0.field("decision", "allow")
            $0.field("option", option?.id)
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

    /// What `deny` wrote, with the option that rejects just once, where there is one.
    func naming(rejection output: [UInt8]) -> [UInt8] {
        guard let option = options.flatMap(LocalOption.plainDenial) else { return output }
        return output.dropLast() + Array(",\"option\":".utf8) + JSONWriter.string(option.id) + [UInt8(ascii: "}")]
    }

    package func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? {
        guard answers.count == questions.count else { return nil }
        var chosen: [Answer] = []
        for question in questions {
            guard let answer = question.chosen(in: answers, cleaner.clean) else { return nil }
            chosen.append(answer)
        }
        let output = JSONWriter.object {
            $0.field("decision", "answer")
            Answer.write(chosen, to: &$0)
        }
        return (chosen.map { ($0.question, ($0.choices + [$0.text ?? ""]).joined(separator: "\n")) }, output)
    }
}
