package import RelayProtocol

/// A live session as its host's status shows it.
package struct AgentSession: Sendable, Equatable {
    package let id: SessionID
    package let status: SessionStatus?
    package let process: AgentProcess?

    package init(id: SessionID, status: SessionStatus?, process: AgentProcess?) {
        self.id = id
        self.status = status
        self.process = process
    }
}
