package import HostCore
package import RelayProtocol

/// Formats answers to one of Claude Code's questions.
package struct ClaudeForm: AnswerForm {
    let tool: String
    /// The questions; empty unless the tool asks some.
    let questions: [ClaudeQuestion]
    /// The questions' bytes as Claude wrote them.
    let questionBytes: [UInt8]?
    /// A tool server's form; nil for the agent's own questions.
    let elicited: ElicitedForm?
    package let offers: [AgentOffer]
    package let editable: [String]

    /// Texts of tools that a person may change. None is a path: links were resolved for the requested one only.
    static let texts = [
        "Bash": ["command"], "Edit": ["new_string"], "NotebookEdit": ["new_source"], "PowerShell": ["command"],
        "WebFetch": ["url", "prompt"], "WebSearch": ["query"], "Write": ["content"],
    ]

    /// The mode that asks before each edit.
    static let askingMode = "default"

    init(tool: String, input: JSONValue?, questions: [ClaudeQuestion], offers: [AgentOffer] = []) {
        self.tool = tool
        self.offers = offers
        self.questions = questions
        editable = EditedInput.editable(Self.texts[tool] ?? [], in: input)
        elicited = nil
        questionBytes = questions.isEmpty ? nil : input?.optional("questions").map { Array($0.bytes) }
    }

    /// `tool`: the one in whose call the server asks, or a name for all of that server's tools.
    init(tool: String, _ elicited: ElicitedForm) {
        self.tool = tool
        self.elicited = elicited
        offers = []
        editable = []
        questions = elicited.questions
        questionBytes = nil
    }

    /// Modes in which Claude can continue once its plan is approved: those of its own dialog, but never the one that never asks.
    var modes: [String] { tool == ClaudeAnswer.planTool ? [Self.askingMode, "acceptEdits"] : [] }

    package func allow(mode: String?) -> [UInt8]? {
        if let mode, !modes.contains(mode) { return nil }
        return ClaudeAnswer.allow(tool: tool, mode: mode)
    }

    package func allow(edited input: [UInt8]) -> [UInt8]? { ClaudeAnswer.allow(input: input) }

    package func choose(_ offer: AgentOffer, words: String?) -> [UInt8]? { ClaudeAnswer.allow(updating: offer.bytes) }

    package static func deny(_ words: String) -> [UInt8] { ClaudeAnswer.deny(words) }

    /// Answers by question text, or by the name of a form's field.
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
