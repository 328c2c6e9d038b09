import RelayModel
import RelayProtocol

/// A client that does not take what is sent to it: it is sent no more, nobody else waits for it, and when it has read what
/// waited it goes on with what it missed, or with a snapshot where that is much.
extension Relay {
    mutating func congested(_ peer: PeerID) {
        guard let client = clients[peer], !client.isCongested else { return }
        clients[peer]?.isCongested = true
        file(peer)
        effects.append(.armTimer(.congestion(peer), after: Limits.congestionMax))
    }

    mutating func drained(_ peer: PeerID) {
        guard let client = clients[peer], client.isCongested else { return }
        clients[peer]?.isCongested = false
        clients[peer]?.missedWorkspace = false
        file(peer)
        effects.append(.cancelTimer(.congestion(peer)))
        if client.missedWorkspace { snapshotsDue[client.workspace, default: []].insert(peer) }
        resumeHeld(peer)
    }

    /// As many as may be read at once; the others follow when these are done.
    mutating func resumeHeld(_ peer: PeerID) {
        guard let client = clients[peer], !client.isCongested else { return }
        for session in client.subscriptions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard clients[peer].map({ $0.readsUnderWay < Limits.readsMax }) == true else { return }
            guard case .held(let begin, let hasSnapshot, let isCatchingUp) = client.subscriptions[session]?.state else {
                continue
            }
            let key = SessionKey(workspace: client.workspace, session: session)
            let end = shown[key]?.seq ?? 0
            switch begin {
            case .after(let seq) where isCatchingUp || end - seq <= Limits.conflatedEventsMax:
                replay(key, after: seq, hasSnapshot: hasSnapshot, peer)
            case .after:
                send(.reset(session, .behind), to: [peer])
                start(key, .snapshot, peer)
            case .snapshot: start(key, .snapshot, peer)
            }
        }
    }

    /// Sends to all but the congested, who go on from `seq` when they are drained. Made only where somebody gets it, as below: most
    /// sessions are watched by nobody most of the time.
    mutating func sendToLive(_ message: @autoclosure () -> MessageToClient, of key: SessionKey, heldAfter seq: Int64) {
        guard let audience = sessions[key]?.audience else { return }
        holdAside(audience, key, after: seq)
        if !audience.live.peers.isEmpty { send(message(), to: audience.live.peers) }
    }

    /// Sends to those who watch this session's summary and approvals, on the workspace or on the session, each once. The
    /// congested are told when they are drained.
    mutating func sendToWatchers(_ message: @autoclosure () -> MessageToClient, of key: SessionKey) {
        sendDueSnapshots()
        let workspace = workspaceAudiences[key.workspace] ?? WorkspaceAudience()
        for peer in workspace.aside { clients[peer]?.missedWorkspace = true }
        let audience = sessions[key]?.audience ?? Audience()
        if let seq = shown[key]?.seq { holdAside(audience, key, after: seq) }
        let (watchers, onlookers) = (workspace.watchers.peers, audience.onlookers.peers)
        let peers = watchers.isEmpty ? onlookers : onlookers.isEmpty ? watchers : watchers + onlookers
        if !peers.isEmpty { send(message(), to: peers) }
    }

    private mutating func holdAside(_ audience: Audience, _ key: SessionKey, after seq: Int64) {
        for peer in audience.aside { hold(peer, key, .after(seq), hasSnapshot: false, isCatchingUp: false) }
    }

    mutating func hold(
        _ peer: PeerID, _ key: SessionKey, _ begin: Subscription.Begin, hasSnapshot: Bool, isCatchingUp: Bool
    ) {
        set(Subscription(state: .held(begin, hasSnapshot: hasSnapshot, isCatchingUp: isCatchingUp)), of: key, peer)
    }
}
