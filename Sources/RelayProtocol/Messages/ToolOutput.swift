/// The end of what a tool has printed so far: replaces what was said of it before. Live only; all of it comes with the end of the call.
package struct ToolOutput: Sendable, Equatable {
    package var session: SessionID
    package var call: String
    /// Whole lines.
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
