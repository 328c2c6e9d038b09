internal import RelayProtocol

/// `POST /v1/agent/ask`: a program asks a person.
package struct LocalAsk: Sendable {
    let session: String
    /// The program's own name of the question.
    let approval: String
    let agent: String?
    let kind: ApprovalKind
    let tool: String
    let title: String?
    /// The tool's input, the list of questions, or the form, exactly as the program wrote it.
    let input: JSONValue
    let questions: [LocalQuestion]
    /// A form in the place of questions.
    let form: (message: String, schema: JSONValue)?
    let options: [LocalOption]?
    /// Members of the input that a person may change.
    let editable: [String]
    let waitSeconds: Int64
    /// True if a person can also answer at the program's own prompt, so that an absent relay is waited for.
    let isAttended: Bool

    private static let waitSecondsUnsaid: Int64 = 3_600

    package init(parsing bytes: [UInt8]) throws(LocalError) {
        self = try LocalError.reading { () throws(WireError) in
            try LocalAsk(from: try JSONDocument(parsing: bytes).root.object())
        }
    }

    private init(from root: JSONValue) throws(WireError) {
        session = try root.name("session")
        approval = try root.name("approval")
        agent = try root.optionalString("agent", bytesMax: WireLimits.nameBytesMax)
        kind = try root.word("kind")
        title = try root.optionalString("title", bytesMax: WireLimits.lineBytesMax)
        waitSeconds = try root.optionalInteger("waitSeconds", in: 1...LocalLimits.waitSecondsMax) ?? Self.waitSecondsUnsaid
        isAttended = try root.flag("attended")
        switch kind {
        case .tool:
            tool = try root.string("tool", bytesMax: WireLimits.nameBytesMax)
            input = try root.required("input").object()
            questions = []
            form = nil
            options = try LocalOption.list(from: root)
            var names: [String] = []
            if root.optional("editable") != nil {
                for name in try root.array("editable", countMax: WireLimits.editableMax) {
                    names.append(try name.string(bytesMax: WireLimits.nameBytesMax))
                }
            }
            editable = names
        case .question:
            tool = try root.optionalString("tool", bytesMax: WireLimits.nameBytesMax) ?? "Question"
            options = nil
            editable = []
            guard root.optional("form") != nil else {
                input = try root.required("questions")
                questions = try LocalQuestion.list(from: root)
                form = nil
                return
            }
            guard root.optional("questions") == nil else {
                throw WireError(.badValue, at: "$.questions", "a form has its own questions")
            }
            input = try root.required("form").object()
            questions = []
            form = (
                try input.string("message", bytesMax: WireLimits.textBytesMax), try input.required("schema").object()
            )
        }
    }
}
