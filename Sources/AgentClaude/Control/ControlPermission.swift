internal import HostCore
internal import RelayProtocol

/// A question that the agent cannot go on without, as it is at the terminal of `heliograph run`.
///
/// Its hook asks the clients at the same time, and the agent takes whichever answer is first; then it takes the other question back.
struct ControlPermission {
    let request: String
    let tool: String
    /// As the agent wrote it.
    let input: [UInt8]
    /// The questions of AskUserQuestion; empty if a yes or a no is asked for, or a form is filled in.
    let questions: [ClaudeQuestion]
    let canBeAllowed: Bool
    /// A tool server's form. No hook asks clients that.
    var form: FormFilling?
    /// Answers given here so far, in the order of `questions`.
    var answers: [String] = []
    /// The number of the first choice that is open at the terminal; nil if there is none.
    var firstNumber: Int?
    /// When it is denied for want of a decision; nil if a person is at the terminal.
    var due: Int64?

    /// The next question; nil if a yes or a no is asked for.
    var question: ClaudeQuestion? { form?.question ?? (questions.isEmpty ? nil : questions[answers.count]) }

    /// Allow and deny, or the choices of the question that is next.
    var choices: [String] {
        if let form { return form.choices }
        guard let question else { return ["Allow once", "Deny; words after the number tell the agent why"] }
        return question.choices.map(\.shownLabel)
    }

    /// The agent's form of the answers.
    func answered() -> [UInt8] {
        let questionBytes =
            (try? JSONDocument(parsing: input).root.optional("questions")).map { Array($0.bytes) } ?? Array("[]".utf8)
        return JSONWriter.object { writer in
            writer.raw("questions", questionBytes)
            writer.object("answers") {
                for (question, answer) in zip(questions, answers) { $0.field(dynamic: question.text, answer) }
            }
        }
    }

    /// In Claude Code's own words, by which hooks and people know that it did not run.
    static let rejection = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    static let stop = rejection + ". STOP what you are doing and wait for the user to tell you how to proceed."
    static func words(_ words: String) -> String { rejection + ". The user said: " + words }
    static let undecided = "The tool use was rejected: nobody decided in time."
    static let unreadable = "The tool use was rejected: what was asked could not be read exactly."
}
