package import RelayProtocol

/// A tool call that people are not asked about in this form: the agent makes it without asking, or a person has edited it.
package struct UnaskedCall: Sendable, Equatable {
    /// The session; nil if the agent does not name it.
    package var session: SessionID?
    package var tool: String
    /// The tool's input as the agent wrote it.
    package var input: [UInt8]

    package init(session: SessionID?, tool: String, input: [UInt8]) {
        self.session = session
        self.tool = tool
        self.input = input
    }
}
