/// Limits that the operator gave one workspace in place of the relay's settings. Nil: the relay's setting applies.
package struct WorkspaceLimits: Sendable, Equatable {
    /// Number of stored sessions.
    package var sessions: Int?
    /// Stored events, in megabytes.
    package var megabytes: Int?
    package var pushesPerDay: Int?
    /// Simultaneous WebSockets.
    package var connections: Int?
    /// Days without activity after which a session is removed. At most the relay's own setting.
    package var keepDays: Int?
    /// Memory of its sessions. Not stored: it comes from the relay's settings, for all registered workspaces.
    package var sessionMegabytes: Int?
    /// Approvals and lines of the audit log that are added in a day. Not stored, likewise.
    package var recordMegabytesPerDay: Int?

    package init(
        sessions: Int? = nil, megabytes: Int? = nil, pushesPerDay: Int? = nil, connections: Int? = nil, keepDays: Int? = nil
    ) {
        self.sessions = sessions
        self.megabytes = megabytes
        self.pushesPerDay = pushesPerDay
        self.connections = connections
        self.keepDays = keepDays
    }

    package var isEmpty: Bool { self == WorkspaceLimits() }
}
