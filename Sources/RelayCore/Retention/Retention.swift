/// Amount of history that is kept. Sessions that are open, watched or being written to are never removed.
package struct Retention: Sendable, Equatable {
    /// A session in which nothing happened for so long, in milliseconds, is removed; nil keeps all.
    package var ageMax: Int64?
    /// Bytes of events in a workspace; beyond it, of hosts that hold more than a fair share of them, the sessions that
    /// ended longest ago are removed, then the oldest events of those that have most. Nil keeps all.
    package var bytesMax: Int64?

    package init(ageMax: Int64? = nil, bytesMax: Int64? = nil) {
        self.ageMax = ageMax
        self.bytesMax = bytesMax
    }
}
