/// The key of an audit record: its workspace's number and its own, in one integer.
package enum AuditKey {
    /// `workspace`: its number in the file.
    package static func id(workspace: Int64, n: Int64) -> Int64 { EventKey.id(session: workspace, seq: n) }
    package static func n(id: Int64) -> Int64 { EventKey.seq(id: id) }
    package static func workspace(id: Int64) -> Int64 { EventKey.session(id: id) }
}

/// The key of an event: its session's number and its own, in one integer.
package enum EventKey {
    private static let seqBits: Int64 = 32
    /// 4,294,967,295 events in a session, and 2,147,483,647 sessions: a disk is full long before.
    package static let seqMax: Int64 = 1 << seqBits - 1
    package static let sessionMax = Int64.max >> seqBits

    /// `seq` may be one beyond the limits on either side, as a bound of a range.
    package static func id(session: Int64, seq: Int64) -> Int64 { session << seqBits + seq }
    package static func seq(id: Int64) -> Int64 { id & seqMax }
    package static func session(id: Int64) -> Int64 { id >> seqBits }
}
