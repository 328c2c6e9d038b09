package import RelayProtocol

/// A live session as its host's status shows it.
package struct AgentSession: Sendable, Equatable {
    package let id: SessionID
    package let status: SessionStatus?
    package let process: AgentProcess?
    /// Number of events that the adapter holds back because they follow one that is still to come.
    package let deferred: Int

    package init(id: SessionID, status: SessionStatus?, process: AgentProcess?, deferred: Int = 0) {
        self.id = id
        self.status = status
        self.process = process
        self.deferred = deferred
    }
}
