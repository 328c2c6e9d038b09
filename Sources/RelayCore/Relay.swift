package import RelayProtocol

/// The relay as a pure machine: facts go in, orders come out.
///
/// One event goes: `hostSent` stages it (`Sessions/`), `tickEnded` appends what the tick staged in one batch, `committed`
/// shows it (`FanOut/`). Nothing is visible before it is committed: every session has a staged and a committed view, and
/// only the committed one is ever sent.
package struct Relay {
    package let configuration: Configuration
    /// Which life of the log this is.
    package let epoch: Epoch

    var sessions: [SessionKey: Session] = [:]
    var hosts: [PeerID: HostPeer] = [:]
    var clients: [PeerID: ClientPeer] = [:]
    /// The connection of each host that is connected; one each.
    var hostPeers: [HostKey: PeerID] = [:]
    var sessionsOfHosts: [HostKey: Set<SessionKey>] = [:]
    var workspaceSubscribers: [WorkspaceID: Set<PeerID>] = [:]

    /// What this tick has staged, and what is being committed.
    var staging = Staging()
    var committing: Staging?
    /// Commands that are answered when what they wait for is on disk.
    var waiters: [DecisionWaiter] = []

    var reads: [ReadID: PendingRead] = [:]
    var lastReadID: UInt64 = 0

    /// Collected while one input is handled.
    var effects: [Effect] = []

    package struct Configuration: Sendable {
        /// Named in `welcome`.
        package var software: String
        package var heartbeat: Heartbeat

        package init(software: String, heartbeat: Heartbeat) {
            self.software = software
            self.heartbeat = heartbeat
        }
    }

    /// Starts from what the log holds; run the effects of `started(at:)` first.
    package init(configuration: Configuration, epoch: Epoch, state: LogState) {
        self.configuration = configuration
        self.epoch = epoch
        for (key, stored) in state.sessions {
            var state = stored
            // Nobody is connected to a relay that has just started, whatever was true when this was stored.
            state.summary.hostIsConnected = false
            sessions[key] = Session(key: key, committed: SessionView(state: state))
            sessionsOfHosts[HostKey(workspace: key.workspace, host: state.summary.host.id), default: []].insert(key)
        }
        for (workspace, approval) in state.approvals {
            let key = SessionKey(workspace: workspace, session: approval.session)
            sessions[key]?.restore(approval)
        }
    }

    package mutating func started(at now: Instant) -> [Effect] {
        for session in sessions.values {
            for approval in session.committed?.approvals.values ?? [:].values where !approval.stage.isFinal {
                armExpiry(of: approval, in: session.key, remaining: approval.request.expiresAt.map { $0 - now.wall })
            }
        }
        effects.append(.armTimer(.housekeeping, after: Limits.housekeepingInterval))
        return takeEffects()
    }

    package mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        switch input {
        case .hostConnected(let peer, let identity): hosts[peer] = HostPeer(identity: identity)
        case .clientConnected(let peer, let identity): clients[peer] = ClientPeer(identity: identity)
        case .hostSent(let peer, let message): hostSent(message, by: peer, at: now)
        case .clientSent(let peer, let message): clientSent(message, by: peer, at: now)
        case .hostSentBadMessage(let peer, let error): send(.notice(Notice(error)), toHost: peer)
        case .clientSentBadMessage(let peer, let error): refuse(error, of: peer)
        case .disconnected(let peer): disconnected(peer)
        case .tickEnded: appendStaged()
        case .committed: committed(at: now)
        case .commitFailed(let reason): commitFailed(reason, at: now)
        case .pageRead(let read, let page): pageRead(read, page)
        case .readFailed(let read, let reason): readFailed(read, reason)
        case .timerFired(.approvalExpiry(let key, let approval)): expire(approval, in: key, at: now)
        case .timerFired(.housekeeping): forgetResolvedApprovals(at: now)
        }
        return takeEffects()
    }

    private mutating func takeEffects() -> [Effect] {
        let taken = effects
        effects.removeAll(keepingCapacity: true)
        return taken
    }

    /// Every connection that the core knows of.
    package var peers: [PeerID] { Array(hosts.keys) + Array(clients.keys) }

    // MARK: - Sending

    mutating func send(_ message: MessageToHost, toHost peer: PeerID) { effects.append(.send(message.bytes, to: [peer])) }

    mutating func send(_ message: MessageToClient, to peers: [PeerID]) {
        if !peers.isEmpty { effects.append(.send(message.bytes, to: peers)) }
    }

    mutating func reply(_ reply: Reply, to command: CommandID, of peer: PeerID) {
        send(.reply(command, reply), to: [peer])
    }
}
