/// The owner's rule that answered a request at its host, without asking people.
package struct AppliedRule: Sendable, Equatable {
    package enum Answer: String, Sendable, CaseIterable { case allow, deny }

    /// Name of the rule; if several rules cover a command line together, the names of all.
    package var name: String
    /// SHA-256 of the rule file at that time.
    package var digest: InputDigest
    package var answer: Answer
    /// A denial's text for the agent's model.
    package var message: String?

    package var names: [String] { name.split(separator: ", ").map(String.init) }

    package init(name: String, digest: InputDigest, answer: Answer, message: String? = nil) {
        self.name = name
        self.digest = digest
        self.answer = answer
        self.message = message
    }

    package init(from value: JSONValue) throws(WireError) {
        name = try value.object().string("name", bytesMax: WireLimits.nameBytesMax)
        digest = try value.digest("digest")
        answer = try value.word("decision")
        message = try value.optionalString("message", bytesMax: WireLimits.lineBytesMax)
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("name", name)
        writer.field("digest", digest.rawValue)
        writer.field("decision", answer.rawValue)
        writer.field("message", message)
    }

    /// The rule's answer as a decision, by a client named `rule` that does not exist. `at` is in milliseconds since 1970.
    package func decision(on approval: ApprovalID, at time: Int64) -> Decision {
        guard let client = ClientID("rule"), let command = CommandID(approval.rawValue) else {
            preconditionFailure("every approval's name is an identifier")
        }
        return Decision(
            answer == .allow ? .allow : .deny(message: message), client: client, clientName: "the rule \(name)", at: time,
            command: command)
    }
}
