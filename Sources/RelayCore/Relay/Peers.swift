import RelayProtocol

/// A host by name, within its workspace.
struct HostKey: Hashable {
    let workspace: WorkspaceID
    let host: HostID
}

/// One connection of a host. Before `hello` it may say nothing else.
struct HostPeer {
    let identity: HostIdentity
    var hasSaidHello = false
    var capabilities: Set<Capability> = []

    var key: HostKey { HostKey(workspace: identity.workspace, host: identity.host.id) }
}

/// One connection of a client.
struct ClientPeer {
    let identity: ClientIdentity
    var hasSaidHello = false
    var watchesWorkspace = false
    var subscriptions: [SessionID: Subscription] = [:]
    /// Commands that wait for a commit or a read.
    var waitingCommands = 0
    /// Reads of the log that are under way for it.
    var readsUnderWay = 0

    var workspace: WorkspaceID { identity.workspace.id }
}

/// A client's view of one session.
struct Subscription {
    /// Asked for again while a read was under way: begins anew when that is done. One read at a time, however often one asks.
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
    }

    var state: State

    /// Whether it waits for this read, and not for a later one or none.
    func isReading(_ read: ReadID) -> Bool {
        switch state {
        case .fetching(read), .replaying(read, _, _): true
        case .fetching, .replaying, .live: false
        }
    }
}

/// What a read of the log is for.
enum PendingRead {
    case subscription(PeerID, SessionKey)
    case history(PeerID, CommandID)

    var peer: PeerID {
        switch self {
        case .subscription(let peer, _), .history(let peer, _): peer
        }
    }
}

/// A `decide` that is answered when the approval's decision is on disk.
struct DecisionWaiter {
    let peer: PeerID
    let command: CommandID
    let key: SessionKey
    let approval: ApprovalID
    let verdict: Decision.Verdict

}
