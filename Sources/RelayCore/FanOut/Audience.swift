import RelayModel

/// The clients that watch a session, by what they are sent. Kept up where a subscription or a client changes, so that a commit has nothing to look up.
struct Audience {
    /// All, however far each is.
    private(set) var subscribers: Set<PeerID> = []
    /// Get every commit as it happens.
    private(set) var live = PeerList()
    /// Live but for being congested: nothing has passed them by yet.
    private(set) var aside: Set<PeerID> = []
    /// Get summaries and approvals for this session alone: they do not watch the workspace.
    private(set) var onlookers = PeerList()

    /// As this client is now; nil: it has no subscription of this session.
    mutating func file(_ peer: PeerID, _ client: ClientPeer, _ subscription: Subscription?) {
        guard let subscription else { return remove(peer) }
        subscribers.insert(peer)
        let isLive = subscription.state == .live
        live.set(peer, isIn: isLive && !client.isCongested)
        if isLive, client.isCongested { aside.insert(peer) } else { aside.remove(peer) }
        onlookers.set(peer, isIn: !client.isCongested && !client.watchesWorkspace)
    }

    mutating func remove(_ peer: PeerID) {
        subscribers.remove(peer)
        live.set(peer, isIn: false)
        aside.remove(peer)
        onlookers.set(peer, isIn: false)
    }
}

/// The clients that watch a workspace.
struct WorkspaceAudience {
    private(set) var watchers = PeerList()
    /// Congested: a summary or an approval that passes them by is noted.
    private(set) var aside: Set<PeerID> = []

    mutating func file(_ peer: PeerID, _ client: ClientPeer?) {
        let watches = client?.watchesWorkspace == true
        let isCongested = client?.isCongested == true
        watchers.set(peer, isIn: watches && !isCongested)
        if watches, isCongested { aside.insert(peer) } else { aside.remove(peer) }
    }

    var all: Set<PeerID> { aside.union(watchers.peers) }
}

extension Relay {
    /// The one place where a subscription changes; nil: it is over.
    mutating func set(_ subscription: Subscription?, of key: SessionKey, _ peer: PeerID) {
        guard clients[peer] != nil else { return }
        clients[peer]?.subscriptions[key.session] = subscription
        guard let client = clients[peer] else { return }
        sessions[key]?.audience.file(peer, client, subscription)
    }

    /// Whether a client watches its workspace, or is congested, has changed.
    mutating func file(_ peer: PeerID) {
        guard let client = clients[peer] else { return }
        workspaceAudiences[client.workspace, default: WorkspaceAudience()].file(peer, client)
        for (session, subscription) in client.subscriptions {
            sessions[SessionKey(workspace: client.workspace, session: session)]?.audience.file(peer, client, subscription)
        }
    }

    /// It has left.
    mutating func unfile(_ peer: PeerID, _ client: ClientPeer) {
        workspaceAudiences[client.workspace]?.file(peer, nil)
        for session in client.subscriptions.keys {
            sessions[SessionKey(workspace: client.workspace, session: session)]?.audience.remove(peer)
        }
    }
}
