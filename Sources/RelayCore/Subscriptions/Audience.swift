import RelayModel
import RelayProtocol

/// The clients that watch a session, grouped by what they are sent. Updated when a subscription or a client changes, so that a
/// commit does not have to search.
struct Audience {
    /// All subscribers, in whatever state.
    private(set) var subscribers: Set<PeerID> = []
    /// Clients that are sent every commit as it happens.
    private(set) var live = PeerList()
    /// Clients that are live but congested, and have not missed anything yet.
    private(set) var aside: Set<PeerID> = []
    /// Clients that are sent summaries and approvals of this session only, as they do not watch the workspace.
    private(set) var onlookers = PeerList()

    /// Puts the client into the groups that match its subscription.
    mutating func file(_ peer: PeerID, _ client: Subscriber, _ subscription: Subscription) {
        subscribers.insert(peer)
        let isLive = subscription.state == .live
        live.set(peer, isIn: isLive && !client.isCongested)
        if isLive, client.isCongested { aside.insert(peer) } else { aside.remove(peer) }
        onlookers.set(peer, isIn: !client.isCongested && !client.hasWorkspace)
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
    /// Congested clients; if a summary or an approval is not sent to them, this is noted.
    private(set) var aside: Set<PeerID> = []

    mutating func file(_ peer: PeerID, _ client: Subscriber?) {
        let watches = client?.hasWorkspace == true
        let isCongested = client?.isCongested == true
        watchers.set(peer, isIn: watches && !isCongested)
        if watches, isCongested { aside.insert(peer) } else { aside.remove(peer) }
    }

    var all: Set<PeerID> { aside.union(watchers.peers) }
}

/// The clients of every session and workspace that is watched.
struct Audiences {
    private var ofSessions: [SessionKey: Audience] = [:]
    private var ofWorkspaces: [WorkspaceID: WorkspaceAudience] = [:]

    subscript(key: SessionKey) -> Audience? { ofSessions[key] }
    subscript(workspace: WorkspaceID) -> WorkspaceAudience? { ofWorkspaces[workspace] }

    /// Looked up by index, as that copies nothing: this is called for thousands of sessions.
    func has(_ key: SessionKey) -> Bool { ofSessions.index(forKey: key) != nil }

    /// Updates the groups after a change of what the client watches, or of its congestion.
    mutating func file(_ peer: PeerID, _ client: Subscriber) {
        ofWorkspaces[client.workspace, default: WorkspaceAudience()].file(peer, client)
        for (session, subscription) in client.subscriptions {
            file(peer, client, subscription, of: SessionKey(workspace: client.workspace, session: session))
        }
    }

    /// Updates the groups after a change of a subscription; nil: it has ended.
    mutating func file(_ peer: PeerID, _ client: Subscriber, _ subscription: Subscription?, of key: SessionKey) {
        if let subscription {
            ofSessions[key, default: Audience()].file(peer, client, subscription)
        } else {
            remove(peer, from: key)
        }
    }

    mutating func remove(_ peer: PeerID, _ client: Subscriber) {
        ofWorkspaces[client.workspace]?.file(peer, nil)
        for session in client.subscriptions.keys {
            remove(peer, from: SessionKey(workspace: client.workspace, session: session))
        }
    }

    mutating func forget(_ workspace: WorkspaceID) { ofWorkspaces[workspace] = nil }

    private mutating func remove(_ peer: PeerID, from key: SessionKey) {
        ofSessions[key]?.remove(peer)
        if ofSessions[key]?.subscribers.isEmpty == true { ofSessions[key] = nil }
    }

    var subscriberCount: Int { ofSessions.values.reduce(0) { $0 + $1.subscribers.count } }

    /// Describes the first inconsistency, nil if there is none: the groups must match what the state of all `clients` implies.
    func breach(among clients: [PeerID: Subscriber]) -> String? {
        let peers = Set(clients.keys)
        if ofSessions.values.contains(where: { !$0.subscribers.isSubset(of: peers) }) {
            return "a session has a subscriber who has left"
        }
        if ofWorkspaces.values.contains(where: { !$0.all.isSubset(of: peers) }) {
            return "a workspace has a subscriber who has left"
        }
        if subscriberCount > clients.values.reduce(0, { $0 + $1.subscriptions.count }) {
            return "sessions have more subscribers than clients subscriptions"
        }
        return misfiled(among: clients).map { "the peer \($0.rawValue) is in a wrong list" }
    }

    private func misfiled(among clients: [PeerID: Subscriber]) -> PeerID? {
        for (peer, client) in clients {
            var expected = WorkspaceAudience()
            expected.file(peer, client)
            let audience = self[client.workspace] ?? WorkspaceAudience()
            guard audience.watchers.contains(peer) == expected.watchers.contains(peer),
                audience.aside.contains(peer) == expected.aside.contains(peer)
            else { return peer }
            for (session, subscription) in client.subscriptions {
                var expected = Audience()
                expected.file(peer, client, subscription)
                let found = self[SessionKey(workspace: client.workspace, session: session)] ?? Audience()
                guard found.live.contains(peer) == expected.live.contains(peer),
                    found.onlookers.contains(peer) == expected.onlookers.contains(peer),
                    found.aside.contains(peer) == expected.aside.contains(peer)
                else { return peer }
            }
        }
        return nil
    }
}
