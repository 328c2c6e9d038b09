package import RelayProtocol

/// What the spool has to tell an operator.
package enum SpoolLog: Sendable, Equatable {
    /// Not one of ours: left alone.
    case foreign(file: String)
    /// The end of a file could not be read: of the last one a write that was torn, of another damage.
    case torn(file: String, bytes: Int, isLast: Bool)
    case notRemoved(file: String, SpoolError)
    case forgotSessions(count: Int)
    /// The relay knows later events of it than this host does.
    case renumbered(SessionID, events: Int)
    case notRenumbered(SessionID, SpoolError)
    /// A file is full, and no other can be begun.
    case notRotated(SpoolError)
    /// Full: the oldest events went.
    case thinned(events: Int)
    case notThinned(SpoolError)
}
