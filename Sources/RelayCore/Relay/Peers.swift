import RelayModel
import RelayProtocol

/// A host by name, within its workspace.
struct HostKey: Hashable {
    let workspace: WorkspaceID
    let host: HostID
}

/// One connection of a host. Before `hello` it may say nothing else.
struct HostPeer {
    let identity: HostIdentity
    /// Counts the connections of hosts as they came.
    let number: Int64
    var hasSaidHello = false
    var capabilities: Set<Capability> = []
    /// What it was told of its sessions that are held.
    var holds: Holds?
    /// Looks for places that are under way for it.
    var removedSessionsReads = 0

    var key: HostKey { HostKey(workspace: identity.workspace, host: identity.host.id) }
}

/// One connection of a client.
struct ClientPeer {
    let identity: ClientIdentity
    var hasSaidHello = false
    /// It holds a token no more, and is being closed.
    var isShownOut = false
    var watchesWorkspace = false
    var subscriptions: [SessionID: Subscription] = [:]
    /// So much waits for it that it is sent no more for now. What it misses it gets afresh when it is drained.
    var isCongested = false
    /// A summary or an approval passed it by while it was congested.
    var missedWorkspace = false
    /// Commands that wait for a commit or a read.
    var waitingCommands = 0
    /// Reads of the log that are under way for it.
    var readsUnderWay = 0

    var workspace: WorkspaceID { identity.workspace.id }
    var key: ClientKey { ClientKey(workspace: workspace, client: identity.client.id) }
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
        /// Congested. Has everything through `seq`, or nothing yet; goes on when it is drained. `isCatchingUp`: it asked to be given
        /// all from its position, and is, however far that is.
        case held(Begin, hasSnapshot: Bool, isCatchingUp: Bool)
    }

    var state: State

    /// Whether it waits for this read, and not for a later one or none.
    func isReading(_ read: ReadID) -> Bool {
        switch state {
        case .fetching(read), .replaying(read, _, _): true
        case .fetching, .replaying, .live, .held: false
        }
    }
}

/// A read of the log, and all that wait for it.
struct ReadUnderWay {
    /// Nil where an approval is read.
    let query: LogQuery?
    var purposes: [PendingRead]
}

/// What a read of the log is for.
enum PendingRead {
    case subscription(PeerID, SessionKey)
    case history(PeerID, CommandID)
    /// A decision on an approval that is not at hand any more.
    case decision(PeerID, CommandID, DecideCommand)

    var peer: PeerID {
        switch self {
        case .subscription(let peer, _), .history(let peer, _), .decision(let peer, _, _): peer
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

/// A command that reaches beyond the log, by name.
struct CommandKey: Hashable {
    let workspace: WorkspaceID
    let client: ClientID
    let command: CommandID
}

/// A `prompt` or `interrupt` that goes to its host when it is on disk.
struct CommandWaiter {
    let peer: PeerID
    let key: CommandKey
    /// Nil where another waiter of the same name carries it.
    let message: MessageToHost?
    let host: HostKey
}
