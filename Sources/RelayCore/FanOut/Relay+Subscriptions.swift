import PushPlanner
import RelayModel
import RelayProtocol

/// What clients ask for, and how a view begins: snapshot or replay, then live, without gap or repeat.
extension Relay {
    mutating func clientSent(_ message: ClientMessage, by peer: PeerID, at now: Instant) {
        guard let client = clients[peer], !client.isShownOut else { return }
        planner.heard(peer, at: now)
        switch message {
        case .hello(let hello): clientSaidHello(hello, peer)
        case .command(let id, _) where !client.hasSaidHello:
            reply(.failed(.helloFirst, Notice.helloFirst.message), to: id, of: peer)
        case .command(let id, let command): run(command, id, of: client, peer, at: now)
        }
    }

    mutating func refuse(_ error: ClientMessageError, of peer: PeerID) {
        if let command = error.command {
            reply(.failed(Notice(error.error), winner: nil), to: command, of: peer)
        } else {
            send(.notice(Notice(error.error)), to: [peer])
        }
    }

    /// What they said before they heard of it is not listened to.
    mutating func showOut(allBut holders: Set<ClientKey>) {
        for peer in clients.keys.sorted() {
            guard let client = clients[peer], !holders.contains(client.key), !client.isShownOut else { continue }
            clients[peer]?.isShownOut = true
            effects.append(.close(peer, .revoked))
        }
    }

    mutating func disconnected(_ peer: PeerID, at now: Instant) {
        if let host = hosts.removeValue(forKey: peer) { hostDisconnected(host, peer, at: now) }
        guard let client = clients.removeValue(forKey: peer) else { return }
        unfile(peer, client)
        waiters.removeAll { $0.peer == peer }
        if client.isCongested { effects.append(.cancelTimer(.congestion(peer))) }
        tellPlanner(.clientLeft(peer), at: now)
    }

    private mutating func clientSaidHello(_ hello: Hello, _ peer: PeerID) {
        guard hello.version == ProtocolVersion.current else {
            send(.notice(.unsupportedVersion(hello.version)), to: [peer])
            effects.append(.close(peer, .unsupportedVersion))
            return
        }
        guard let identity = clients[peer]?.identity else { return }
        clients[peer]?.hasSaidHello = true
        send(.welcome(welcome, client: identity.client, workspace: identity.workspace), to: [peer])
    }

    private mutating func run(
        _ command: ClientCommand, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        switch command {
        case .subscribe(nil, _):
            clients[peer]?.watchesWorkspace = true
            file(peer)
            reply(.done, to: id, of: peer)
            if client.isCongested {
                clients[peer]?.missedWorkspace = true
            } else {
                snapshotsDue[client.workspace, default: []].insert(peer)
            }
        case .subscribe(let session?, let position): subscribe(to: session, after: position, id, of: client, peer)
        case .unsubscribe(nil):
            clients[peer]?.watchesWorkspace = false
            file(peer)
            reply(.done, to: id, of: peer)
        case .unsubscribe(let session?):
            set(nil, of: SessionKey(workspace: client.workspace, session: session), peer)
            reply(.done, to: id, of: peer)
        case .history(let session, let before, let limit): history(of: session, before, limit, id, of: client, peer)
        case .decide(let decide): self.decide(decide, id, of: client, peer, at: now)
        case .prompt(let session, let text):
            prompt(.prompt(id, session, text: text), needing: .prompt, of: session, id, of: client, peer, at: now)
        case .interrupt(let session):
            prompt(.interrupt(id, session), needing: .interrupt, of: session, id, of: client, peer, at: now)
        case .ping: reply(.done, to: id, of: peer)
        case .pair(let role): effects.append(.makePairingCode(peer, id, role, client.workspace))
        case .presence, .seen, .device, .card, .forget, .devices, .testPush:
            askPlanner(command, id, of: client, peer, at: now)
        case .budget(let budget): setBudget(budget, id, of: client, peer, at: now)
        case .budgets: listBudgets(id, of: client, peer, at: now)
        }
    }

    // MARK: - Workspace

    /// Before anything else that those who asked would hear of it.
    mutating func sendDueSnapshots() {
        guard !snapshotsDue.isEmpty else { return }
        let due = snapshotsDue
        snapshotsDue = [:]
        for (workspace, peers) in due.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            sendWorkspaceSnapshot(to: peers.filter { clients[$0]?.watchesWorkspace == true }, workspace)
        }
    }

    private mutating func sendWorkspaceSnapshot(to peers: Set<PeerID>, _ workspace: WorkspaceID) {
        guard !peers.isEmpty else { return }
        // What they are put in order by stands beside the views: a view's state is large, and there may be thousands.
        var views: [(at: Int64, view: SessionView)] = []
        var books: [ApprovalBook] = []
        for (key, view) in shown.views where key.workspace == workspace {
            views.append((view.lastActivityAt, view))
            if view.approvals.count > 0 { books.append(view.approvals) }
        }
        views.sort {
            // Those of the same moment go by name, or they would change places from one snapshot to the next.
            $0.at != $1.at
                ? $0.at > $1.at : $0.view.sessionID.rawValue < $1.view.sessionID.rawValue
        }
        // A session with something to decide is shown however old it is.
        let shown =
            views.prefix(Limits.snapshotSessionsMax)
            + views.dropFirst(Limits.snapshotSessionsMax).filter { $0.view.openApprovalCount > 0 }
        send(
            .workspaceSnapshot(sessions: shown.map { $0.view.summary }, approvals: Self.shown(books)), to: Array(peers))
    }

    /// All that are open, and the last that were resolved; oldest first.
    private static func shown(_ books: [ApprovalBook]) -> [Approval] {
        let latest = books.flatMap { $0.resolved(latest: SessionLimits.resolvedApprovalsMax) }.sorted {
            ($1.resolvedAt ?? 0, $0.id.rawValue) < ($0.resolvedAt ?? 0, $1.id.rawValue)
        }
        return (books.flatMap(\.open) + latest.prefix(SessionLimits.resolvedApprovalsMax)).sorted {
            ($0.requestedAt, $0.id.rawValue) < ($1.requestedAt, $1.id.rawValue)
        }
    }

    // MARK: - Session

    private mutating func subscribe(
        to session: SessionID, after position: Position?, _ id: CommandID, of client: ClientPeer, _ peer: PeerID
    ) {
        let key = SessionKey(workspace: client.workspace, session: session)
        guard let view = shown[key] else {
            reply(.noSuchSession, to: id, of: peer)
            return
        }
        guard client.subscriptions[session] != nil || client.subscriptions.count < Limits.subscriptionsMax else {
            reply(.failed(.tooMany, "at most \(Limits.subscriptionsMax) subscriptions"), to: id, of: peer)
            return
        }
        guard client.readsUnderWay < Limits.readsMax else {
            reply(.failed(.tooMany, "too many reads are under way; wait for their answers"), to: id, of: peer)
            return
        }
        reply(.done, to: id, of: peer)
        let begin: Subscription.Begin
        if let position, position.epoch != epoch {
            send(.reset(session, .epochChanged), to: [peer])
            begin = .snapshot
        } else if let position, position.seq > view.seq {
            send(.reset(session, .ahead), to: [peer])
            begin = .snapshot
        } else if let position, position.seq + 1 < view.state.summary.first {
            send(.reset(session, .trimmed), to: [peer])
            begin = .snapshot
        } else {
            begin = position.map { .after($0.seq) } ?? .snapshot
        }
        switch client.subscriptions[session]?.state {
        case .fetching, .replaying: clients[peer]?.subscriptions[session]?.again = begin
        case .live, .held, nil: start(key, begin, peer)
        }
    }

    mutating func start(_ key: SessionKey, _ begin: Subscription.Begin, _ peer: PeerID) {
        switch begin {
        case _ where clients[peer]?.isCongested == true:
            hold(peer, key, begin, hasSnapshot: false, isCatchingUp: true)
        case .snapshot: fetchSnapshot(of: key, peer)
        case .after(let seq): replay(key, after: seq, hasSnapshot: false, peer)
        }
    }

    private mutating func fetchSnapshot(of key: SessionKey, _ peer: PeerID) {
        guard let view = shown[key] else { return }
        let read = read(
            key, .before(view.seq + 1), limit: Limits.snapshotEventsMax, for: .subscription(peer, key))
        set(Subscription(state: .fetching(read)), of: key, peer)
    }

    /// Goes on after `seq`: live where that is the end, else another read.
    mutating func replay(_ key: SessionKey, after seq: Int64, hasSnapshot: Bool, _ peer: PeerID) {
        guard let view = shown[key] else { return }
        if clients[peer]?.isCongested == true {
            hold(peer, key, .after(seq), hasSnapshot: hasSnapshot, isCatchingUp: true)
        } else if seq == view.seq {
            set(Subscription(state: .live), of: key, peer)
            if hasSnapshot { return }
            send(.summary(view.summary), to: [peer])
            for approval in Self.shown([view.approvals]) { send(.approval(approval), to: [peer]) }
        } else {
            let read = read(key, .after(seq), limit: Limits.replayEventsMax, for: .subscription(peer, key))
            set(Subscription(state: .replaying(read, seq: seq, hasSnapshot: hasSnapshot)), of: key, peer)
        }
    }

    private mutating func history(
        of session: SessionID, _ before: Int64, _ limit: Int64, _ id: CommandID, of client: ClientPeer, _ peer: PeerID
    ) {
        let key = SessionKey(workspace: client.workspace, session: session)
        guard let view = shown[key] else {
            reply(.noSuchSession, to: id, of: peer)
            return
        }
        guard client.readsUnderWay < Limits.readsMax, !client.isCongested else {
            reply(.failed(.tooMany, "too many reads are under way; wait for their answers"), to: id, of: peer)
            return
        }
        // Never past what is committed: the log may hold more before we are told.
        let end = min(before, view.seq + 1)
        _ = read(key, .before(end), limit: Int(limit), for: .history(peer, id))
    }

    // MARK: - Reads

    private mutating func read(_ key: SessionKey, _ range: LogQuery.Range, limit: Int, for purpose: PendingRead) -> ReadID {
        let query = LogQuery(key: key, range: range, limit: limit, bytesMax: Limits.pageBytesMax)
        if let id = readsByQuery[query] {
            reads[id]?.purposes.append(purpose)
            clients[purpose.peer]?.readsUnderWay += 1
            return id
        }
        let id = beginRead(query, for: purpose)
        readsByQuery[query] = id
        effects.append(.read(id, query))
        return id
    }

    /// `query` is nil where an approval is read.
    mutating func beginRead(_ query: LogQuery?, for purpose: PendingRead) -> ReadID {
        lastReadID += 1
        let id = ReadID(rawValue: lastReadID)
        reads[id] = ReadUnderWay(query: query, purposes: [purpose])
        clients[purpose.peer]?.readsUnderWay += 1
        return id
    }

    /// What the read was for, which is now known.
    mutating func endRead(_ id: ReadID) -> [PendingRead] {
        guard let read = reads.removeValue(forKey: id) else { return [] }
        if let query = read.query { readsByQuery[query] = nil }
        for purpose in read.purposes { clients[purpose.peer]?.readsUnderWay -= 1 }
        return read.purposes
    }

    mutating func pageRead(_ id: ReadID, _ page: LogPage) {
        let purposes = endRead(id)
        var fetching: [PeerID] = []
        var replaying: [(peer: PeerID, hasSnapshot: Bool)] = []
        var place: (key: SessionKey, after: Int64)?
        var seen: Set<PeerID> = []
        for purpose in purposes {
            switch purpose {
            case .history(let peer, let command):
                reply(.history(first: page.first, events: page.events), to: command, of: peer)
            case .decision: preconditionFailure("an approval is read for a decision, not a page")
            case .subscription(let peer, let key):
                guard let subscription = clients[peer]?.subscriptions[key.session], subscription.isReading(id),
                    seen.insert(peer).inserted
                else { continue }
                place = place ?? (key, 0)
                if let again = subscription.again {
                    start(key, again, peer)
                } else if case .replaying(_, let seq, let hasSnapshot) = subscription.state {
                    place = (key, seq)
                    replaying.append((peer, hasSnapshot))
                } else {
                    fetching.append(peer)
                }
            }
        }
        if let place, let view = shown[place.key] {
            // The log may hold more than has been shown: a view never runs ahead of the commit that shows it.
            let shown = page.truncated(through: view.seq)
            if !fetching.isEmpty { sendSnapshot(of: place.key, view, shown, to: fetching) }
            if !replaying.isEmpty { sendReplay(of: place.key, after: place.after, shown, to: replaying) }
        }
        for purpose in purposes { resumeHeld(purpose.peer) }
    }

    /// Made once, for all who wait for it.
    private mutating func sendSnapshot(of key: SessionKey, _ view: SessionView, _ shown: LogPage, to peers: [PeerID]) {
        // The log may hold none of them: what follows begins where it ends.
        let first = shown.events.isEmpty ? view.seq + 1 : shown.first
        let last = first + Int64(shown.events.count) - 1
        let tail = SessionEvents(session: key.session, epoch: epoch, first: first, events: shown.events)
        let approvals = Self.shown([view.approvals])
        send(.sessionSnapshot(tail, seq: last, summary: view.summary, approvals: approvals), to: peers)
        for peer in peers { replay(key, after: last, hasSnapshot: true, peer) }
    }

    private mutating func sendReplay(
        of key: SessionKey, after seq: Int64, _ shown: LogPage, to peers: [(peer: PeerID, hasSnapshot: Bool)]
    ) {
        guard shown.first == seq + 1, !shown.events.isEmpty else {
            // The log no longer holds what follows this position.
            send(.reset(key.session, .trimmed), to: peers.map(\.peer))
            for (peer, _) in peers { fetchSnapshot(of: key, peer) }
            return
        }
        let events = SessionEvents(session: key.session, epoch: epoch, first: shown.first, events: shown.events)
        send(.events(events), to: peers.map(\.peer))
        for (peer, hasSnapshot) in peers {
            replay(key, after: seq + Int64(shown.events.count), hasSnapshot: hasSnapshot, peer)
        }
    }

    mutating func readFailed(_ id: ReadID, _ reason: String, isLasting: Bool) {
        if let read = endRemovedSessionsRead(id) { return removedSessionsUnknown(read, reason) }
        let purposes = endRead(id)
        for purpose in purposes {
            switch purpose {
            case .history(let peer, let command), .decision(let peer, let command, _):
                reply(.failed(isLasting ? .damaged : .unavailable, reason), to: command, of: peer)
            case .subscription(let peer, let key) where isLasting: passOver(id, of: key, peer)
            case .subscription(let peer, _):
                // It holds a position: it comes back with it.
                effects.append(.close(peer, .restarting))
            }
        }
        if isLasting { for purpose in purposes { resumeHeld(purpose.peer) } }
    }

    /// An event that is damaged for good keeps nobody from those after it: who replays gets a snapshot, and who waits for one gets it
    /// without events.
    private mutating func passOver(_ read: ReadID, of key: SessionKey, _ peer: PeerID) {
        guard let subscription = clients[peer]?.subscriptions[key.session], subscription.isReading(read),
            let view = shown[key]
        else { return }
        if let again = subscription.again {
            start(key, again, peer)
        } else if case .replaying = subscription.state {
            send(.reset(key.session, .trimmed), to: [peer])
            fetchSnapshot(of: key, peer)
        } else {
            sendSnapshot(of: key, view, LogPage(first: 0, events: []), to: [peer])
        }
    }
}

extension LogPage {
    fileprivate func truncated(through seq: Int64) -> LogPage {
        LogPage(first: first, events: Array(events.prefix(Int(max(0, seq - first + 1)))))
    }
}
