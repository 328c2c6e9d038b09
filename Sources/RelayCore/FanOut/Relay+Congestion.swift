import RelayProtocol

/// A client that does not take what is sent to it: it is sent no more, nobody else waits for it, and when it has read what
/// waited it goes on with what it missed, or with a snapshot where that is much.
extension Relay {
    mutating func congested(_ peer: PeerID) {
        guard let client = clients[peer], !client.isCongested else { return }
        clients[peer]?.isCongested = true
        effects.append(.armTimer(.congestion(peer), after: Limits.congestionMax))
    }

    mutating func drained(_ peer: PeerID) {
        guard let client = clients[peer], client.isCongested else { return }
        clients[peer]?.isCongested = false
        clients[peer]?.missedWorkspace = false
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
            let end = sessions[key]?.committed?.state.seq ?? 0
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

    /// Sends to all of these but the congested, who go on from `seq` when they are drained.
    mutating func sendToLive(_ message: MessageToClient, of key: SessionKey, in session: Session, heldAfter seq: Int64) {
        var live: [PeerID] = []
        for peer in session.subscribers {
            guard let client = clients[peer], client.subscriptions[key.session]?.state == .live else { continue }
            if client.isCongested {
                hold(peer, key.session, .after(seq), hasSnapshot: false, isCatchingUp: false)
            } else {
                live.append(peer)
            }
        }
        send(message, to: live)
    }

    /// Sends to those who watch this session's summary and approvals, on the workspace or on the session, each once. The
    /// congested are told when they are drained.
    mutating func sendToWatchers(_ message: MessageToClient, of key: SessionKey) {
        sendDueSnapshots()
        var takers: [PeerID] = []
        for peer in workspaceSubscribers[key.workspace] ?? [] {
            if clients[peer]?.isCongested == true { clients[peer]?.missedWorkspace = true } else { takers.append(peer) }
        }
        for peer in sessions[key]?.subscribers ?? [] {
            guard let client = clients[peer] else { continue }
            if !client.isCongested {
                if !client.watchesWorkspace { takers.append(peer) }
            } else if client.subscriptions[key.session]?.state == .live, let seq = sessions[key]?.committed?.state.seq {
                hold(peer, key.session, .after(seq), hasSnapshot: false, isCatchingUp: false)
            }
        }
        send(message, to: takers)
    }

    mutating func hold(
        _ peer: PeerID, _ session: SessionID, _ begin: Subscription.Begin, hasSnapshot: Bool, isCatchingUp: Bool
    ) {
        clients[peer]?.subscriptions[session] = Subscription(
            state: .held(begin, hasSnapshot: hasSnapshot, isCatchingUp: isCatchingUp))
    }
}
