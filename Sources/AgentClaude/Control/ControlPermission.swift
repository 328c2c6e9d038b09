internal import HostCore
internal import RelayProtocol

/// A question for which the agent waits, as shown at the terminal of `heliograph run`.
///
/// Its hook asks the clients at the same time. The agent takes the first answer and withdraws the other question.
struct ControlPermission {
    let request: String
    let tool: String
    /// The input, as the agent wrote it.
    let input: [UInt8]
    /// The questions of AskUserQuestion; empty for a yes or no, and for a form.
    let questions: [ClaudeQuestion]
    let canBeAllowed: Bool
    /// A tool server's form, about which no hook asks clients; nil for other questions.
    var form: FormFilling?
    /// Answers given here so far, in the order of `questions`.
    var answers: [String] = []
    /// Number of the first open choice at the terminal; nil if there is none.
    var firstNumber: Int?
    /// Time at which it is denied for lack of a decision; nil if a person is at the terminal.
    var due: Int64?

    /// The next question; nil for a yes or no.
    var question: ClaudeQuestion? { form?.question ?? (questions.isEmpty ? nil : questions[answers.count]) }

    /// The choices of the next question, or allow and deny.
    var choices: [String] {
        if let form { return form.choices }
        guard let question else { return ["Allow once", "Deny; words after the number tell the agent why"] }
        return question.choices.map(\.shownLabel)
    }

    /// The answers in the agent's form.
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

    /// Claude Code's own words, by which hooks and people recognise that the tool did not run.
    static let rejection = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    static let stop = rejection + ". STOP what you are doing and wait for the user to tell you how to proceed."
    static func words(_ words: String) -> String { rejection + ". The user said: " + words }
    static let undecided = "The tool use was rejected: nobody decided in time."
    static let unreadable = "The tool use was rejected: what was asked could not be read exactly."
}
