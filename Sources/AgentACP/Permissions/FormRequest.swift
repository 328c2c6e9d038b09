internal import HostCore
internal import RelayProtocol

/// A request `elicitation/create`: a form, in the middle of a turn.
struct FormRequest {
    static let method = "elicitation/create"

    /// The agent's name of the session; nil if it asks outside of any session, while one is opened.
    let session: String?
    /// The call in which the form is asked for; nil if the agent does not name it.
    let call: String?
    let form: ElicitedForm
    /// The request's body for the daemon.
    let json: [UInt8]

    /// Nil if people could not be shown all of it: a web page to be opened, or an unknown field or rule.
    init?(_ params: JSONValue?) {
        // A mode that is present but not a text is unknown.
        guard let params, params.optional("mode") == nil || params.text("mode") == "form",
            let message = params.text("message"), let schema = params.optional("requestedSchema"),
            let form = ElicitedForm(message: message, schema: schema, clean: { $0 })
        else { return nil }
        session = params.text("sessionId")
        call = params.text("toolCallId")
        self.form = form
        json = JSONWriter.object { writer in
            writer.field("message", message)
            writer.raw("schema", schema.bytes)
        }
    }
}
