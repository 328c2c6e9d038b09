package import RelayProtocol

/// A tool call that an agent is about to make without having asked anybody.
package struct UnaskedCall: Sendable, Equatable {
    /// Nil if the agent does not say which.
    package var session: SessionID?
    package var tool: String
    /// As the agent wrote it.
    package var input: [UInt8]

    package init(session: SessionID?, tool: String, input: [UInt8]) {
        self.session = session
        self.tool = tool
        self.input = input
    }
}
