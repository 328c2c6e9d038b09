internal import RelayProtocol

/// A form that is filled in at a terminal, one field after the other: by the numbers of its choices, or in words after a number.
package struct FormFilling: Sendable {
    package enum Step: Equatable, Sendable {
        /// The input was not taken, with the reason.
        case notTaken(String)
        /// Another field is open.
        case next
        /// The values in the form that the asking side accepts.
        case filledIn([UInt8])
        case declined
    }

    private let form: ElicitedForm
    /// The answers so far, in the order of the fields.
    private var answers: [Answer] = []

    package init(_ form: ElicitedForm) { self.form = form }

    /// The question of the next field.
    package var question: AskedQuestion { form.questions[answers.count] }

    /// The lines that get a number.
    package var choices: [String] {
        question.choices.map(\.shownLabel) + (question.takesWords ? ["Your answer: words after the number"] : []) + ["Decline"]
    }

    /// Takes an input for the current field. `number`: the number of a choice; `first`: that of the first choice; `more`: the text
    /// typed after the number.
    package mutating func take(_ number: Int, first: Int, _ more: String?) -> Step {
        let (question, place) = (self.question, number - first)
        if place == choices.count - 1 {
            return more == nil ? .declined : .notTaken("Declining takes no reason; nothing was sent.")
        }
        var answer = Answer(question: question.id, choices: [])
        if place == question.choices.count {
            answer.text = more
        } else {
            // Further choices, if several are allowed.
            let others = (more ?? "").split(separator: " ").map { Int($0).map { $0 - first } ?? -1 }
            let places = [place] + others
            guard places.allSatisfy(question.choices.indices.contains) else {
                return .notTaken("Only numbers of choices go with a choice; nothing was sent.")
            }
            answer.choices = places.map { question.choices[$0].shownLabel }
            answer.indexes = places.map { Int64($0) }
        }
        guard form.takes(answer, at: answers.count) else { return .notTaken("That does not fit; nothing was sent.") }
        answers.append(answer)
        guard answers.count == form.questions.count else { return .next }
        guard let filledIn = form.answer(answers) else {
            // Each answer fits its field but all together do not, so the last one is asked for again.
            answers.removeLast()
            return .notTaken("That does not fit; nothing was sent.")
        }
        return .filledIn(filledIn.content)
    }
}
