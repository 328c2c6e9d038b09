import RelayModel
import RelayProtocol

/// A client as one that is told: what it follows, and whether it takes what it is sent.
struct Subscriber {
    let key: ClientKey
    var watchesWorkspace = false
    /// Its snapshot of the workspace is to come: until then it is sent no summary or approval because of that.
    var awaitsSnapshot = false
    var subscriptions: [SessionID: Subscription] = [:]
    /// Paused views go on at the next interval.
    var waitsForRoom = false
    /// So much waits for it that it is sent no more for now. What it misses it gets afresh when it is drained.
    var isCongested = false
    /// A summary or an approval passed it by while it was congested.
    var missedWorkspace = false

    var workspace: WorkspaceID { key.workspace }
    /// What changes in the workspace is for it.
    var hasWorkspace: Bool { watchesWorkspace && !awaitsSnapshot }
}

/// A client's view of one session.
struct Subscription {
    /// Asked for again while a read was under way: begins again when that is done. One read at a time, however often one asks.
    var again: Begin?

    enum Begin: Equatable {
        case snapshot
        case after(Int64)
    }

    enum State: Equatable {
        /// The last events are being read for a snapshot.
        case fetching(ReadID)
        /// Has everything through `seq`; what follows is being read. Becomes live when it reaches the log's end, and is then told
        /// the session's state unless a snapshot has done that.
        case replaying(ReadID, seq: Int64, hasSnapshot: Bool)
        /// Gets every commit as it happens.
        case live
        /// Congested. Has everything through `seq`, or nothing yet; goes on when it is drained. `isCatchingUp`: it asked to be given
        /// all from its position, and is, however far that is.
        case paused(Begin, hasSnapshot: Bool, isCatchingUp: Bool)
    }

    var state: State

    /// True if it waits for this read, and not for a later one or none.
    func isReading(_ read: ReadID) -> Bool {
        switch state {
        case .fetching(read), .replaying(read, _, _): true
        case .fetching, .replaying, .live, .paused: false
        }
    }
}
