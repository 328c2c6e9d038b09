package import RelayProtocol

/// What a person is shown of an approval, as one text that host and device hash byte for byte:
/// `{"salt": S, "host": key id, "session": id, "event": the event as an open host would have sent it, with the salted digest}`.
///
/// A client shows and signs what is in it, and nothing of the event around it.
package struct ShownText: Sendable {
    package let salt: Salt
    package let host: KeyID
    package let session: SessionID
    /// An `approval.requested`.
    package let event: Event
    package let request: ApprovalRequest
    package let text: String

    /// Strict JSON. The caller checks that host and session are the expected ones.
    package init(parsing text: String) throws(ConsentError) {
        do throws(WireError) {
            let value = try JSONDocument(parsing: text).root.object()
            salt = try value.fixed("salt")
            host = try value.fixed("host")
            session = try value.identifier("session")
            event = try Event(from: value.object("event"))
            guard case .approvalRequested(let request) = event.head else {
                throw WireError(.badValue, at: "$.event.kind", "this must be approval.requested")
            }
            self.request = request
        } catch { throw ConsentError(error) }
        self.text = text
    }

    /// The text in the body of an `approval.requested` of a signed host; nil if there is none.
    package static func text(inEvent bytes: [UInt8]) -> String? {
        try? JSONDocument(parsing: bytes).root.optional("body")?.optionalString("shown")
    }

    package func hash(_ crypto: ConsentCrypto) -> ConsentHash { Self.hash(of: text, crypto) }

    /// SHA-256(domain("shown") ‖ UTF-8 of the text).
    package static func hash(of text: String, _ crypto: ConsentCrypto) -> ConsentHash {
        crypto.hash(StatementWriter.prefix("shown") + Array(text.utf8))
    }

    /// SHA-256(domain("input") ‖ salt ‖ LP(tool) ‖ the 32 bytes of the digest that an open host would have sent).
    package static func saltedDigest(
        of digest: InputDigest, tool: String, salt: Salt, _ crypto: ConsentCrypto
    ) -> InputDigest {
        var writer = StatementWriter(domain: "input")
        writer.raw(salt.bytes)
        writer.part(tool)
        writer.raw(digest.bytes)
        return InputDigest(crypto.hash(writer.bytes))
    }
}
