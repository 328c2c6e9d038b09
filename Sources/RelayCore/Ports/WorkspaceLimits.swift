/// Limits that the operator gave one workspace in place of the relay's settings. Nil: the setting holds.
package struct WorkspaceLimits: Sendable, Equatable {
    /// Sessions that are kept.
    package var sessions: Int?
    /// Events that are kept, in megabytes.
    package var megabytes: Int?
    package var pushesPerDay: Int?
    /// WebSockets at once.
    package var connections: Int?
    /// Days for which a session is kept in which nothing happens. Never more than the relay keeps any.
    package var keepDays: Int?

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
