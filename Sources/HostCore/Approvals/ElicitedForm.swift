package import RelayProtocol

/// A form that a tool server asks for in the middle of a call (MCP's elicitation), or an agent asks of its client (ACP's), as
/// questions to a person: one for each field.
///
/// A form that is not known whole is refused: an unknown field, or an unknown rule about one, could mean more than is shown.
package struct ElicitedForm: Equatable, Sendable {
    /// The form's message, redacted for people.
    package let message: String
    private let fields: [ElicitedField]
    package let questions: [AskedQuestion]

    private static let known: Set<String> = [
        "$schema", "type", "properties", "required", "additionalProperties", "title", "description",
    ]

    /// Reads a form from the server's JSON schema. Nil if a part of it is unknown to us.
    package init?(message: String, schema: JSONValue?, clean: (String) -> String) {
        guard let schema, let members = try? schema.members(), members.allSatisfy({ Self.known.contains($0.key) }),
            schema.optional("type") == nil || schema.text("type") == "object",
            let properties = try? schema.optional("properties")?.members() ?? [],
            properties.count <= WireLimits.questionsMax
        else { return nil }
        let required = Set(schema.list("required").compactMap { try? $0.string() })
        guard required.isSubset(of: properties.map(\.key)) else { return nil }
        // The schema's own texts about the whole form.
        let notes = [schema.text("title"), schema.text("description")].compactMap { $0 }.filter { !$0.isEmpty }
        self.message = clean(([message] + notes).joined(separator: " · "))
        var fields: [ElicitedField] = []
        for (place, (name, value)) in properties.enumerated() {
            guard
                let field = ElicitedField(
                    name, value, place: place, isRequired: required.contains(name),
                    after: place == 0 ? self.message : nil, clean: clean)
            else { return nil }
            fields.append(field)
        }
        self.fields = fields
        // A form without a field asks whether to go on at all.
        questions = fields.isEmpty ? [AskedQuestion(confirming: self.message)] : fields.map(\.question)
    }

    /// True if the answer fits the question at that place.
    package func takes(_ answer: Answer, at place: Int) -> Bool {
        guard fields.indices.contains(place) else { return questions[place].chosen(in: [answer])?.labels.count == 1 }
        return fields[place].value(in: [answer]) != nil
    }

    /// The form's values by field, and as the server takes them. Nil unless every answer fits its field.
    package func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], content: [UInt8])? {
        guard answers.count == questions.count else { return nil }
        if fields.isEmpty {
            guard takes(answers[0], at: 0) else { return nil }
            return ([], Array("{}".utf8))
        }
        var content: [(name: String, value: [UInt8])] = []
        for field in fields {
            guard let value = field.value(in: answers) else { return nil }
            if case .said(let bytes) = value { content.append((field.name, bytes)) }
        }
        let bytes = JSONWriter.object { writer in
            for (name, value) in content { writer.raw(dynamic: name, value) }
        }
        return (Self.values(of: try? JSONDocument(parsing: bytes).root), bytes)
    }

    /// The values of a form that may have been filled in elsewhere: members in any order, numbers in any spelling.
    package static func values(of content: JSONValue?) -> [(question: String, value: String)] {
        let members = (try? content?.members()) ?? []
        return sorted(members.map { ($0.key, String(decoding: ElicitedField.spelled($0.value), as: UTF8.self)) })
    }

    private static func sorted(_ values: [(question: String, value: String)]) -> [(question: String, value: String)] {
        values.sorted { $0.question < $1.question }
    }
}

extension AskedQuestion {
    fileprivate init(confirming message: String) {
        self.init(
            id: "q0", text: message, shownText: message,
            choices: [Choice(label: "{}", shownLabel: "Accept", description: nil)], takesWords: false)
    }
}
