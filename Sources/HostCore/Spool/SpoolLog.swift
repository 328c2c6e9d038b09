package import RelayProtocol

/// Log entries of the spool, for an operator and the host's machine.
package enum SpoolLog: Sendable, Equatable {
    /// Items that were written, the owed ones first; `numbers` are those of the events among them.
    case took([Spool.Item], numbers: [Int64])
    /// Items that were not written. The owed ones are tried again.
    case refused([Spool.Item], SpoolError)
    /// Not one of ours: left alone.
    case foreign(file: String)
    case unreadable(file: String, SpoolError)
    /// Bytes of a file are no records and were passed over: at the end of the last one, a write that was torn.
    case damaged(file: String, bytes: Int, isLast: Bool)
    /// There was no room to begin a file at the start: nothing is written or sent until there is.
    case noRoom(SpoolError)
    case notRemoved(file: String, SpoolError)
    case forgotSessions(count: Int)
    /// The relay knows later events of it than this host does.
    case renumbered(SessionID, events: Int)
    /// The relay's word on a session could not be written down: its events wait.
    case notAgreed(SessionID, SpoolError)
    /// A sync failed: what it was for counts as not written.
    case notSynchronized(SpoolError)
    /// All that is not known to be on disk was written again, to a new file.
    case renewed(after: String)
    /// Full: the oldest events went.
    case thinned(events: Int)
    case notThinned(SpoolError)
}
