/// Amount of history that is kept. Sessions that are open, watched or being written to are never removed.
package struct Retention: Sendable, Equatable {
    /// Time without activity after which a session is removed, in milliseconds; nil: never.
    package var ageMax: Int64?
    /// Limit for bytes of events in a workspace. Beyond it, the hosts with more than a fair share lose the sessions that ended
    /// longest ago, then the oldest events of their largest sessions. Nil: no limit.
    package var bytesMax: Int64?

    package init(ageMax: Int64? = nil, bytesMax: Int64? = nil) {
        self.ageMax = ageMax
        self.bytesMax = bytesMax
    }
}
