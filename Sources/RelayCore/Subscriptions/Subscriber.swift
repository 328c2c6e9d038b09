import RelayModel
import RelayProtocol

/// One client's subscriptions, and whether it reads what it is sent.
struct Subscriber {
    let key: ClientKey
    var watchesWorkspace = false
    /// True until its snapshot of the workspace is sent: before that it gets no summaries and approvals of the workspace.
    var awaitsSnapshot = false
    var subscriptions: [SessionID: Subscription] = [:]
    /// True if its paused views continue at the next interval.
    var waitsForRoom = false
    /// So many bytes wait for this client that it is sent no more for now. Once drained, it gets the current state of what it
    /// missed.
    var isCongested = false
    /// True if a summary or approval was not sent because it was congested.
    var missedWorkspace = false

    var workspace: WorkspaceID { key.workspace }
    /// True if it is to be sent changes in the workspace.
    var hasWorkspace: Bool { watchesWorkspace && !awaitsSnapshot }
}

/// A client's subscription to one session.
struct Subscription {
    /// Set if it subscribed again during a read: the subscription begins again when the read has ended. So there is one read at a
    /// time, however often a client asks.
    var again: Begin?

    enum Begin: Equatable {
        case snapshot
        case after(Int64)
    }

    enum State: Equatable {
        /// The session's last events are being read for a snapshot.
        case fetching(ReadID)
        /// The client has all events through `seq`, and the next ones are being read. Becomes live at the log's end; the session's
        /// state is then sent, unless a snapshot has contained it.
        case replaying(ReadID, seq: Int64, hasSnapshot: Bool)
        /// The client is sent every commit as it happens.
        case live
        /// Congested. The client has all events through `seq`, or nothing yet; continues once drained. `isCatchingUp`: it has asked
        /// for everything from its position, and gets it, however much that is.
        case paused(Begin, hasSnapshot: Bool, isCatchingUp: Bool)
    }

    var state: State

    /// True if it waits for exactly this read.
    func isReading(_ read: ReadID) -> Bool {
        switch state {
        case .fetching(read), .replaying(read, _, _): true
        case .fetching, .replaying, .live, .paused: false
        }
    }
}
