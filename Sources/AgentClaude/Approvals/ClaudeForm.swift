package import HostCore
package import RelayProtocol

/// Formats answers to one of Claude Code's questions.
package struct ClaudeForm: AnswerForm {
    let tool: String
    /// Empty but for a question.
    let questions: [ClaudeQuestion]
    /// The same as Claude wrote them.
    let questionBytes: [UInt8]?
    /// A tool server's form; nil for the agent's own questions.
    let elicited: ElicitedForm?
    package let offers: [AgentOffer]

    /// Asks before each edit.
    static let askingMode = "default"

    init(tool: String, input: JSONValue?, questions: [ClaudeQuestion], offers: [AgentOffer] = []) {
        self.tool = tool
        self.offers = offers
        self.questions = questions
        elicited = nil
        questionBytes = questions.isEmpty ? nil : input?.optional("questions").map { Array($0.bytes) }
    }

    /// `tool` is the one in whose call the server asks, or represents all of that server's.
    init(tool: String, _ elicited: ElicitedForm) {
        self.tool = tool
        self.elicited = elicited
        offers = []
        questions = elicited.questions
        questionBytes = nil
    }

    /// Modes in which Claude goes on once its plan is approved: those that its own dialog has had, and never the one that never asks.
    var modes: [String] { tool == ClaudeAnswer.planTool ? [Self.askingMode, "acceptEdits"] : [] }

    package func allow(mode: String?) -> [UInt8]? {
        if let mode, !modes.contains(mode) { return nil }
        return ClaudeAnswer.allow(tool: tool, mode: mode)
    }

    package func choose(_ offer: AgentOffer, words: String?) -> [UInt8]? { ClaudeAnswer.allow(updating: offer.bytes) }

    package static func deny(_ words: String) -> [UInt8] { ClaudeAnswer.deny(words) }

    /// By question text, or by the name of a form's field.
    package func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? {
        if let elicited {
            return elicited.answer(answers).map { ($0.values, ClaudeAnswer.fillIn($0.content)) }
        }
        guard answers.count == questions.count, let questionBytes else { return nil }
        var values: [(question: String, value: String)] = []
        for question in questions {
            guard let value = question.value(of: answers) else { return nil }
            values.append((question.text, value))
        }
        return (values, ClaudeAnswer.answer(questions: questionBytes, answers: values))
    }
}
