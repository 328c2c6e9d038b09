/// A question of an agent is answered at its terminal only as a person chose there for that very question, once, and not after it was
/// taken back. Without a person, the answer is No, and not before the patience has run out.
struct PermissionChecker {
    private struct Question {
        let input: String
        let askedAt: Int64
        var choice: Bool?
        /// The program knows that another answer was sooner.
        var isTakenBack = false
        var isAnswered = false
    }

    private var questions: [String: Question] = [:]

    /// The program has the question.
    mutating func asked(_ id: String, _ input: String, at now: Int64) {
        questions[id] = Question(input: input, askedAt: now)
    }

    mutating func takenBack(_ id: String) { questions[id]?.isTakenBack = true }

    /// The person at the terminal chose for this question.
    mutating func chosen(_ id: String, isAllowed: Bool) { questions[id]?.choice = isAllowed }

    /// The program answers. `input`: the input that may run; nil: denied. Without a person it denies after `patience`.
    mutating func answered(_ id: String, allowing input: String?, at now: Int64, patience: Int64?) -> String? {
        guard let question = questions[id] else { return "\(id) is answered, and was never asked" }
        questions[id]?.isAnswered = true
        if question.isAnswered { return "\(id) is answered twice" }
        if question.isTakenBack { return "\(id) is answered after it was taken back" }
        if let choice = question.choice {
            if choice != (input != nil) {
                return "\(id) is \(input == nil ? "denied" : "allowed"), and somebody chose otherwise"
            }
        } else {
            guard input == nil, let patience, now - question.askedAt >= patience else {
                return "\(id) is \(input == nil ? "denied" : "allowed"), and nobody chose that"
            }
        }
        return input == nil || input == question.input ? nil : "\(id) allows another input than was asked about"
    }
}
