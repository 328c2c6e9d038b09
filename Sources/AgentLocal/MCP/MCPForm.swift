internal import RelayProtocol

/// The question as a form that the client itself shows (MCP's elicitation), used when nobody else can be reached.
struct MCPForm {
    private static let answer: StaticString = "answer"
    private static let allow = "allow"

    private let wish: MCPWish
    private let message: String
    private let schema: [UInt8]

    /// Nil if there is nothing to answer, or if the form might not show all that is decided.
    init?(_ wish: MCPWish, limits: MCPLimits) {
        self.wish = wish
        switch wish {
        case .ask(let question, let choices, let isMultiple, _):
            let labels = choices.map(\.label)
            message = VisibleText.prose(
                question + (isMultiple && !labels.isEmpty ? "\nOne or more of: \(labels.joined(separator: ", "))" : ""))
            schema = Self.schema(choices: isMultiple ? [] : labels)
        case .approve(let tool, let input, _):
            let shown = JSONLine.text(input)
            guard input.count <= limits.elicitedBytesMax, !VisibleText.mayMislead(shown), !VisibleText.mayMislead(tool) else {
                return nil
            }
            message = "Allow \(VisibleText.exactLine(tool)) with exactly this input?\n\(shown)"
            schema = Self.schema(choices: ["deny", Self.allow])
        case .notify, .progress: return nil
        }
        guard message.utf8.count <= WireLimits.textBytesMax else { return nil }
    }

    private static func schema(choices: [String]) -> [UInt8] {
        JSONWriter.object {
            $0.field("type", "object")
            $0.object("properties") {
                $0.object(answer) {
                    $0.field("type", "string")
                    $0.field("title", "Answer")
                    if !choices.isEmpty { $0.strings("enum", choices) }
                }
            }
            $0.strings("required", ["\(answer)"])
        }
    }

    var parameters: [UInt8] {
        JSONWriter.object {
            $0.field("mode", "form")
            $0.field("message", message)
            $0.raw("requestedSchema", schema)
        }
    }

    /// The decision in the client's result; nil if there is none.
    func verdict(of result: JSONValue) -> MCPVerdict? {
        guard result.isObject, let action = try? result.string("action") else { return nil }
        switch (action, wish) {
        case ("decline", _): return .denied(nil)
        case ("accept", .approve):
            return (try? result.object("content").string(Self.answer)) == Self.allow ? .allowed : .denied(nil)
        case ("accept", .ask(_, let choices, let isMultiple, let choicesOnly)):
            guard let answer = try? result.object("content").string(Self.answer, bytesMax: WireLimits.textBytesMax) else {
                return nil
            }
            if choices.contains(where: { $0.label == answer }) { return .answered(choices: [answer], text: nil) }
            return choicesOnly && !isMultiple ? nil : .answered(choices: [], text: answer)
        default: return nil
        }
    }
}
