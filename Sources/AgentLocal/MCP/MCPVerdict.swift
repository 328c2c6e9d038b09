internal import RelayProtocol

/// A person's answer to a call.
enum MCPVerdict: Equatable {
    case allowed
    case denied(String?)
    case answered(choices: [String], text: String?)

    /// Reads the daemon's answer to `ask`; nil if this program does not know it.
    init?(answer: [UInt8]) {
        guard let root = try? JSONDocument(parsing: answer).root, root.isObject,
            let decision = (try? root.optionalString("decision")) ?? nil
        else { return nil }
        switch decision {
        case "allow": self = .allowed
        case "deny": self = .denied((try? root.optionalString("message")) ?? nil)
        case "answer":
            guard let answer = (try? root.array("answers"))?.first, answer.isObject,
                let choices = try? answer.array("choices").map({ try $0.string() })
            else { return nil }
            self = .answered(choices: choices, text: (try? answer.optionalString("text")) ?? nil)
        default: return nil
        }
    }

    /// The tool's text for the client; nil if this does not answer the question.
    func text(for wish: MCPWish) -> String? {
        switch (self, wish) {
        case (.allowed, .approve(_, let input, _)):
            String(
                decoding: JSONWriter.object {
                    $0.field("behavior", "allow")
                    $0.raw("updatedInput", input)
                }, as: UTF8.self)
        case (.denied(let message), .approve):
            Self.denial(message.flatMap { $0.isEmpty ? nil : $0 } ?? "A person has denied this.")
        case (.denied(let message), .ask):
            "The person does not answer this." + (message.flatMap { $0.isEmpty ? nil : " They say: \($0)" } ?? "")
        case (.answered(let choices, let text), .ask):
            [choices.isEmpty ? nil : choices.joined(separator: ", "), text].compactMap(\.self).joined(separator: "\n")
        default: nil
        }
    }

    static func denial(_ message: String) -> String {
        String(
            decoding: JSONWriter.object {
                $0.field("behavior", "deny")
                $0.field("message", message)
            }, as: UTF8.self)
    }
}
