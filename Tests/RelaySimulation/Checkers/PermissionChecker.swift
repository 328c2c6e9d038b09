/// Checks that a question of an agent is answered at its terminal only as a person chose there for that very question, once, and
/// not after it was withdrawn. Without a person the answer is No, and not before the time limit.
struct PermissionChecker {
    private struct Question {
        let input: String
        let askedAt: Int64
        var choice: Bool?
        /// True if the program knows that another answer was first.
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

    /// The program answers. `input` is the input that may run; nil if denied. Without a person it denies after `patience`. Returns
    /// a complaint, if any.
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
