/// The last part of a running tool's output, which replaces the part sent before. Live only; the end of the call brings the whole
/// output.
package struct ToolOutput: Sendable, Equatable {
    package var session: SessionID
    package var call: String
    /// The end of the output, in complete lines.
    package var text: String

    package init(session: SessionID, call: String, text: String) {
        self.session = session
        self.call = call
        self.text = text
    }

    init(from value: JSONValue) throws(WireError) {
        session = try value.identifier("session")
        call = try value.string("call", bytesMax: WireLimits.nameBytesMax)
        text = try value.string("text", bytesMax: WireLimits.outputBytesMax)
    }

    func write(to writer: inout JSONWriter) {
        writer.field("session", session)
        writer.field("call", call)
        writer.field("text", text)
    }
}
