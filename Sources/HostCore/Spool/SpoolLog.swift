package import RelayProtocol

/// Log entries of the spool, for an operator and the host's machine.
package enum SpoolLog: Sendable, Equatable {
    /// Items that were written, those from earlier calls first. `numbers`: the numbers of the events among them.
    case took([Spool.Item], numbers: [Int64])
    /// Items that were not written. Those that are kept are tried again.
    case refused([Spool.Item], SpoolError)
    /// The file is not a spool's, and was left alone.
    case foreign(file: String)
    case unreadable(file: String, SpoolError)
    /// Bytes of a file are not records and were skipped; at the end of the last file they are a torn write.
    case damaged(file: String, bytes: Int, isLast: Bool)
    /// There was no room to begin a file at the start: nothing is written or sent until there is room.
    case noRoom(SpoolError)
    case notRemoved(file: String, SpoolError)
    case forgotSessions(count: Int)
    /// The session's events got new numbers, because the relay knows later events of it than this host does.
    case renumbered(SessionID, events: Int)
    /// The relay's position in a session could not be written to disk: its events wait.
    case notAgreed(SessionID, SpoolError)
    /// A sync failed: what it should have saved counts as not written.
    case notSynchronized(SpoolError)
    /// Everything that may not be on disk was written again, to a new file.
    case renewed(after: String)
    /// The spool was full, and the oldest events were dropped.
    case thinned(events: Int)
    case notThinned(SpoolError)
}
