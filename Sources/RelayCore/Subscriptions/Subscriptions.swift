import RelayModel
import RelayProtocol

/// The subscriptions of each client. A view begins with a snapshot or a replay, then goes on live, without gap or repeat.
///
/// A client that does not read is sent no more, and delays no other client. Once it has read what waited for it, it continues with
/// the events that it missed, or with a snapshot if those are many.
struct Subscriptions {
    private let epochs: Epochs
    private var clients: [PeerID: Subscriber] = [:]
    private var audiences = Audiences()
    private var reads = Reads()
    /// Clients that subscribed to their workspace. One snapshot is made for all that are sent it in the same turn.
    private var due = Turns<PeerID>()
    /// Clients whose views of sessions wait until more bytes may be sent.
    private var withoutRoom = Turns<PeerID>()
    private var roomForWorkspaces = SendRoom()
    private var roomForSessions = SendRoom()
    /// The last snapshots sent, for clients that ask before anything changes.
    private var snapshots: [WorkspaceID: Snapshot] = [:]
    private var pages = SnapshotPages()
    private var isPageDue = false

    init(epochs: Epochs) { self.epochs = epochs }

    // MARK: - Clients

    mutating func connected(_ peer: PeerID, of client: ClientKey) { clients[peer] = Subscriber(key: client) }

    mutating func left(_ peer: PeerID, _ orders: inout Orders) {
        guard let client = clients.removeValue(forKey: peer) else { return }
        audiences.remove(peer, client)
        pages.forget(peer)
        reads.left(peer)
        if client.isCongested { orders.add(.cancelTimer(.congestion(peer))) }
    }

    /// Drops a removed workspace's state. All its clients have disconnected.
    mutating func forget(_ workspace: WorkspaceID) {
        snapshots[workspace] = nil
        audiences.forget(workspace)
    }

    /// Clients that watch the workspace and are not congested.
    func watchers(of workspace: WorkspaceID) -> [PeerID] { audiences[workspace]?.watchers.peers ?? [] }

    func isCongested(_ peer: PeerID) -> Bool { clients[peer]?.isCongested == true }

    mutating func congested(_ peer: PeerID, _ orders: inout Orders) {
        guard let client = clients[peer], !client.isCongested else { return }
        clients[peer]?.isCongested = true
        file(peer)
        orders.add(.armTimer(.congestion(peer), after: Limits.congestionMax))
    }

    mutating func drained(_ peer: PeerID, seeing shown: CommittedSessions, _ orders: inout Orders) {
        guard let client = clients[peer], client.isCongested else { return }
        clients[peer]?.isCongested = false
        clients[peer]?.missedWorkspace = false
        if client.missedWorkspace { awaitSnapshot(peer) }
        file(peer)
        orders.add(.cancelTimer(.congestion(peer)))
        resumePaused(peer, seeing: shown, &orders)
        armPage(&orders)
    }

    /// Resumes as many views as may be read at once; the others follow when these are done.
    mutating func resumePaused(_ peer: PeerID, seeing shown: CommittedSessions, _ orders: inout Orders) {
        guard let client = clients[peer], !client.isCongested else { return }
        guard !roomForSessions.isEmpty else { return waitForRoom(peer) }
        for session in client.subscriptions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard reads.hasRoom(for: peer), pages.hasRoom(for: peer) else { return }
            guard case .paused(let begin, let hasSnapshot, let isCatchingUp) = clients[peer]?.subscriptions[session]?.state
            else {
                continue
            }
            let key = SessionKey(workspace: client.workspace, session: session)
            let end = shown[key]?.seq ?? 0
            switch begin {
            case .after(let seq) where isCatchingUp || end - seq <= Limits.conflatedEventsMax:
                replay(key, after: seq, hasSnapshot: hasSnapshot, peer, shown, &orders)
            case .after:
                orders.send(.reset(session, .behind), to: [peer])
                start(key, .snapshot, peer, shown, &orders)
            case .snapshot: start(key, .snapshot, peer, shown, &orders)
            }
        }
    }

    // MARK: - Sending

    /// Clients that are sent every commit of a session as it happens.
    func live(of key: SessionKey) -> [PeerID] { audiences[key]?.live.peers ?? [] }

    func isFollowed(_ key: SessionKey) -> Bool { audiences.has(key) }

    /// True if some client is sent the summaries and approvals of this session.
    func isWatched(_ key: SessionKey) -> Bool {
        audiences[key.workspace]?.watchers.peers.isEmpty == false || audiences[key]?.onlookers.peers.isEmpty == false
    }

    /// Sends to all live clients. The congested ones continue after `seq` once drained. The message is only made if it has a
    /// receiver: most sessions are watched by nobody most of the time. `bytes`: the message, if it is encoded already.
    mutating func sendToLive(
        _ message: @autoclosure () -> MessageToClient, made bytes: [UInt8]? = nil, of key: SessionKey, pausedAfter seq: Int64,
        _ orders: inout Orders
    ) {
        guard let audience = audiences[key] else { return }
        pauseAside(audience, key, after: seq)
        if !audience.live.peers.isEmpty { orders.send(bytes ?? message().bytes, to: audience.live.peers) }
    }

    /// Sends to clients that watch this session's summary and approvals, through the workspace or the session, once to each. The
    /// congested ones get the current state once drained.
    mutating func sendToWatchers(
        _ message: @autoclosure () -> MessageToClient, made bytes: [UInt8]? = nil, of key: SessionKey,
        seeing shown: CommittedSessions, _ orders: inout Orders
    ) {
        if !snapshots.isEmpty { snapshots[key.workspace] = nil }
        let workspace = audiences[key.workspace] ?? WorkspaceAudience()
        for peer in workspace.aside { clients[peer]?.missedWorkspace = true }
        let audience = audiences[key] ?? Audience()
        if !audience.aside.isEmpty, let seq = shown.seq(of: key) { pauseAside(audience, key, after: seq) }
        let (watchers, onlookers) = (workspace.watchers.peers, audience.onlookers.peers)
        let peers = watchers.isEmpty ? onlookers : onlookers.isEmpty ? watchers : watchers + onlookers
        if !peers.isEmpty { orders.send(bytes ?? message().bytes, to: peers) }
    }

    private mutating func pauseAside(_ audience: Audience, _ key: SessionKey, after seq: Int64) {
        for peer in audience.aside { pause(peer, key, .after(seq), hasSnapshot: false, isCatchingUp: false) }
    }

    private mutating func pause(
        _ peer: PeerID, _ key: SessionKey, _ begin: Subscription.Begin, hasSnapshot: Bool, isCatchingUp: Bool
    ) {
        set(Subscription(state: .paused(begin, hasSnapshot: hasSnapshot, isCatchingUp: isCatchingUp)), of: key, peer)
    }

    private mutating func awaitSnapshot(_ peer: PeerID) {
        guard let client = clients[peer], !client.awaitsSnapshot else { return }
        clients[peer]?.awaitsSnapshot = true
        due.add(peer, of: client.key)
    }

    /// Sends snapshots to clients that subscribed to their workspace, before anything else of it; to as many as the limit of bytes
    /// allows, and to the others in later intervals.
    mutating func sendDueSnapshots(seeing shown: CommittedSessions, _ orders: inout Orders) {
        guard !due.isEmpty else { return }
        var made: [WorkspaceID: Snapshot] = [:]
        var ready: [WorkspaceID: [PeerID]] = [:]
        while !roomForWorkspaces.isEmpty, let peer = due.next() {
            guard let client = clients[peer], client.awaitsSnapshot else { continue }
            clients[peer]?.awaitsSnapshot = false
            // A congested client gets the snapshot that it asked for when it is drained.
            if client.isCongested, client.watchesWorkspace { clients[peer]?.missedWorkspace = true }
            file(peer)
            guard client.watchesWorkspace, !client.isCongested else { continue }
            let workspace = client.workspace
            let snapshot = made[workspace] ?? snapshots[workspace] ?? Snapshot.of(workspace, in: shown)
            made[workspace] = snapshot
            ready[workspace, default: []].append(peer)
            _ = roomForWorkspaces.take(snapshot.bytes.count, times: 1)
        }
        for (workspace, snapshot) in made.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let peers = ready[workspace, default: []].sorted()
            keep(snapshot, of: workspace)
            orders.send(snapshot.bytes, to: peers)
            pages.add(snapshot.rest, isOfWorkspace: true, to: peers)
        }
        armPage(&orders)
    }

    private mutating func keep(_ snapshot: Snapshot, of workspace: WorkspaceID) {
        snapshots[workspace] = snapshot
        let bytes = snapshots.values.reduce(0) { $0 + $1.bytes.count }
        if bytes > Limits.keptSnapshotsBytesMax { snapshots = [workspace: snapshot] }
    }

    /// Drops the kept snapshots: they take memory, and the next client may ask much later.
    mutating func forgetSnapshots() { snapshots = [:] }

    // MARK: - What follows a snapshot

    /// Arms the timer for the next page, unless all waiting clients are congested: then that happens when the first of them is
    /// drained.
    private mutating func armPage(_ orders: inout Orders) {
        guard !isPageDue,
            roomForWorkspaces.isLow || roomForSessions.isLow || pages.isDue(to: { clients[$0]?.isCongested == false })
        else { return }
        isPageDue = true
        orders.add(.armTimer(.snapshotPage, after: Limits.snapshotPageInterval))
    }

    /// The interval has ended: sends a page, and refills the limits of bytes.
    mutating func pageIsDue(seeing shown: CommittedSessions, _ orders: inout Orders) {
        isPageDue = false
        roomForWorkspaces.refill()
        roomForSessions.refill()
        sendDueSnapshots(seeing: shown, &orders)
        var waiting = withoutRoom
        withoutRoom = Turns()
        while let peer = waiting.next() {
            clients[peer]?.waitsForRoom = false
            resumePaused(peer, seeing: shown, &orders)
        }
        sendNextPage(seeing: shown, &orders)
        armPage(&orders)
    }

    private mutating func sendNextPage(seeing shown: CommittedSessions, _ orders: inout Orders) {
        let clients = clients
        let next = pages.next(to: { clients[$0].flatMap { $0.isCongested ? nil : $0.key } }) { item in
            switch item {
            case .summary(let key): shown[key].map { MessageToClient.summary($0.summary).bytes }
            case .approval(let name): shown[name.key]?.approvals[name.approval].map { MessageToClient.approval($0).bytes }
            }
        }
        guard let (peers, messages, endsWorkspace) = next else { return }
        for (item, bytes) in messages {
            // A client may have unsubscribed from the session or the workspace meanwhile.
            let followers = peers.filter {
                clients[$0]?.watchesWorkspace == true || clients[$0]?.subscriptions[item.session] != nil
            }
            if !followers.isEmpty { orders.send(bytes, to: followers) }
        }
        if endsWorkspace {
            let watching = peers.filter { clients[$0]?.watchesWorkspace == true }
            if !watching.isEmpty { orders.send(.snapshotEnd, to: watching) }
        }
        for peer in peers { resumePaused(peer, seeing: shown, &orders) }
    }

    // MARK: - Following

    mutating func watchWorkspace(_ peer: PeerID, _ command: CommandID, _ orders: inout Orders) {
        guard let client = clients[peer] else { return }
        clients[peer]?.watchesWorkspace = true
        if client.isCongested { clients[peer]?.missedWorkspace = true } else { awaitSnapshot(peer) }
        file(peer)
        orders.reply(.done, to: command, of: peer)
    }

    /// The sessions that the workspace's snapshot left out follow as summaries.
    mutating func sendOlderSessions(
        _ peer: PeerID, _ command: CommandID, seeing shown: CommittedSessions, _ orders: inout Orders
    ) {
        guard let client = clients[peer] else { return }
        guard client.watchesWorkspace else {
            return orders.reply(.failed(.unavailable, "subscribe to the workspace first"), to: command, of: peer)
        }
        guard pages.hasRoom(for: peer) else { return orders.reply(.tooManyReads, to: command, of: peer) }
        orders.reply(.done, to: command, of: peer)
        pages.add(Snapshot.older(of: client.workspace, in: shown)[...], to: [peer])
        armPage(&orders)
    }

    /// Unsubscribes from the session; nil: from the workspace.
    mutating func unsubscribe(from session: SessionID?, _ peer: PeerID, _ command: CommandID, _ orders: inout Orders) {
        guard let client = clients[peer] else { return }
        if let session {
            set(nil, of: SessionKey(workspace: client.workspace, session: session), peer)
        } else {
            clients[peer]?.watchesWorkspace = false
            file(peer)
        }
        orders.reply(.done, to: command, of: peer)
    }

    /// A session was removed: its subscriptions end.
    mutating func ended(_ key: SessionKey) {
        for peer in audiences[key]?.subscribers ?? [] { set(nil, of: key, peer) }
    }

    mutating func subscribe(
        to session: SessionID, after position: Position?, _ peer: PeerID, _ id: CommandID,
        seeing shown: CommittedSessions, _ orders: inout Orders
    ) {
        guard let client = clients[peer] else { return }
        let key = SessionKey(workspace: client.workspace, session: session)
        guard let view = shown[key] else { return orders.reply(.noSuchSession, to: id, of: peer) }
        guard client.subscriptions[session] != nil || client.subscriptions.count < Limits.subscriptionsMax else {
            return orders.reply(.failed(.tooMany, "at most \(Limits.subscriptionsMax) subscriptions"), to: id, of: peer)
        }
        guard reads.hasRoom(for: peer), pages.hasRoom(for: peer) else {
            return orders.reply(.tooManyReads, to: id, of: peer)
        }
        orders.reply(.done, to: id, of: peer)
        let begin: Subscription.Begin
        if let position, let reason = reset(from: position, in: key.workspace, view) {
            orders.send(.reset(session, reason), to: [peer])
            begin = .snapshot
        } else {
            begin = position.map { .after($0.seq) } ?? .snapshot
        }
        switch client.subscriptions[session]?.state {
        case .fetching, .replaying: clients[peer]?.subscriptions[session]?.again = begin
        case .live, .paused, nil: start(key, begin, peer, shown, &orders)
        }
    }

    /// The reason why this position cannot be continued; nil if it can.
    private func reset(from position: Position, in workspace: WorkspaceID, _ view: SessionView) -> ResetReason? {
        if position.epoch != epochs[workspace] { return .epochChanged }
        if position.seq > view.seq { return .ahead }
        return position.seq + 1 < view.state.summary.first ? .trimmed : nil
    }

    private mutating func start(
        _ key: SessionKey, _ begin: Subscription.Begin, _ peer: PeerID, _ shown: CommittedSessions, _ orders: inout Orders
    ) {
        switch begin {
        case _ where isCongested(peer): pause(peer, key, begin, hasSnapshot: false, isCatchingUp: true)
        case .snapshot: fetchSnapshot(of: key, peer, shown, &orders)
        case .after(let seq): replay(key, after: seq, hasSnapshot: false, peer, shown, &orders)
        }
    }

    private mutating func fetchSnapshot(
        of key: SessionKey, _ peer: PeerID, _ shown: CommittedSessions, _ orders: inout Orders
    ) {
        guard let view = shown[key], let client = clients[peer]?.key else { return }
        let read = reads.page(
            key, .before(view.seq + 1), limit: Limits.snapshotEventsMax, for: .subscription(peer, key), of: client, &orders)
        set(Subscription(state: .fetching(read)), of: key, peer)
    }

    private mutating func replay(
        _ key: SessionKey, after seq: Int64, hasSnapshot: Bool, _ peer: PeerID, _ shown: CommittedSessions,
        _ orders: inout Orders
    ) {
        replay(key, after: seq, hasSnapshot: hasSnapshot, to: [peer], shown, &orders)
    }

    /// Continues after `seq`: live if that is the log's end, else with another read.
    private mutating func replay(
        _ key: SessionKey, after seq: Int64, hasSnapshot: Bool, to peers: [PeerID], _ shown: CommittedSessions,
        _ orders: inout Orders
    ) {
        guard let view = shown[key] else { return }
        var live: [PeerID] = []
        for peer in peers {
            guard let client = clients[peer] else { continue }
            if client.isCongested {
                pause(peer, key, .after(seq), hasSnapshot: hasSnapshot, isCatchingUp: true)
            } else if seq == view.seq {
                set(Subscription(state: .live), of: key, peer)
                live.append(peer)
            } else {
                let read = reads.page(
                    key, .after(seq), limit: Limits.replayEventsMax, for: .subscription(peer, key), of: client.key, &orders)
                set(Subscription(state: .replaying(read, seq: seq, hasSnapshot: hasSnapshot)), of: key, peer)
            }
        }
        guard !hasSnapshot, !live.isEmpty else { return }
        orders.send(.summary(view.summary), to: live)
        let approvals = Snapshot.approvals(of: view, in: key.workspace)
        for approval in approvals.now { orders.send(.approval(approval), to: live) }
        pages.add(approvals.rest, to: live)
        armPage(&orders)
    }

    /// Of the clients for which a session was read, returns those that may be sent so many bytes of it now. The others wait, and
    /// read it again later.
    private mutating func admit(
        _ peers: [PeerID], bytes: Int, of key: SessionKey, _ begin: Subscription.Begin, hasSnapshot: Bool = false
    ) -> [PeerID] {
        let count = roomForSessions.take(bytes, times: peers.count)
        guard count < peers.count else { return peers }
        var turns = Turns<PeerID>()
        for peer in peers { if let client = clients[peer]?.key { turns.add(peer, of: client) } }
        var admitted: [PeerID] = []
        while let peer = turns.next() {
            if admitted.count < count {
                admitted.append(peer)
            } else {
                pause(peer, key, begin, hasSnapshot: hasSnapshot, isCatchingUp: true)
                waitForRoom(peer)
            }
        }
        return admitted.sorted()
    }

    private mutating func waitForRoom(_ peer: PeerID) {
        guard let client = clients[peer], !client.waitsForRoom else { return }
        clients[peer]?.waitsForRoom = true
        withoutRoom.add(peer, of: client.key)
    }

    /// The only place where a subscription changes; nil: it has ended.
    private mutating func set(_ subscription: Subscription?, of key: SessionKey, _ peer: PeerID) {
        guard clients[peer] != nil else { return }
        clients[peer]?.subscriptions[key.session] = subscription
        guard let client = clients[peer] else { return }
        audiences.file(peer, client, subscription, of: key)
    }

    /// Call when the client's subscription to its workspace, or its congestion, has changed.
    private mutating func file(_ peer: PeerID) {
        if let client = clients[peer] { audiences.file(peer, client) }
    }

    // MARK: - Reads

    mutating func history(
        of session: SessionID, before: Int64, limit: Int64, _ peer: PeerID, _ id: CommandID,
        seeing shown: CommittedSessions, _ orders: inout Orders
    ) {
        guard let client = clients[peer] else { return }
        let key = SessionKey(workspace: client.workspace, session: session)
        guard let view = shown[key] else { return orders.reply(.noSuchSession, to: id, of: peer) }
        guard reads.hasRoom(for: peer), !client.isCongested else { return orders.reply(.tooManyReads, to: id, of: peer) }
        // Not beyond what is shown: the log may hold more than the core knows to be committed.
        let end = min(before, view.seq + 1)
        _ = reads.page(key, .before(end), limit: Int(limit), for: .history(peer, id), of: client.key, &orders)
    }

    /// Reads an approval that is only on disk. Answered by `approvalRead`.
    mutating func readApproval(of key: SessionKey, for late: Reads.LateDecision, _ orders: inout Orders) {
        guard let client = clients[late.peer]?.key else { return }
        guard reads.hasRoom(for: late.peer) else { return orders.reply(.tooManyReads, to: late.command, of: late.peer) }
        reads.approval(of: key, for: late, of: client, &orders)
    }

    /// Returns the decision that the approval was read for; its peer may then `resumePaused`.
    mutating func approvalRead(_ id: ReadID, _ orders: inout Orders) -> Reads.LateDecision? {
        guard case .decision(let late)? = reads.end(id, &orders).first else { return nil }
        return late
    }

    mutating func pageRead(_ id: ReadID, _ page: LogPage, seeing shown: CommittedSessions, _ orders: inout Orders) {
        let purposes = reads.end(id, &orders)
        var fetching: [PeerID] = []
        var replaying: [(peer: PeerID, hasSnapshot: Bool)] = []
        var place: (key: SessionKey, after: Int64)?
        var seen: Set<PeerID> = []
        for purpose in purposes {
            switch purpose {
            case .history(let peer, let command):
                orders.reply(.history(first: page.first, events: page.events), to: command, of: peer)
            case .decision: preconditionFailure("an approval is read for a decision, not a page")
            case .subscription(let peer, let key):
                guard let subscription = clients[peer]?.subscriptions[key.session], subscription.isReading(id),
                    seen.insert(peer).inserted
                else { continue }
                place = place ?? (key, 0)
                if let again = subscription.again {
                    start(key, again, peer, shown, &orders)
                } else if case .replaying(_, let seq, let hasSnapshot) = subscription.state {
                    place = (key, seq)
                    replaying.append((peer, hasSnapshot))
                } else {
                    fetching.append(peer)
                }
            }
        }
        if let place, let view = shown[place.key] {
            // The log may hold more than has been shown: a view must not run ahead of the commit that shows it.
            let page = page.truncated(through: view.seq)
            if !fetching.isEmpty { sendSnapshot(of: place.key, page, to: fetching, shown, &orders) }
            if !replaying.isEmpty { sendReplay(of: place.key, after: place.after, page, to: replaying, shown, &orders) }
        }
        for purpose in purposes { resumePaused(purpose.peer, seeing: shown, &orders) }
    }

    /// Makes one snapshot for all clients that wait for it.
    private mutating func sendSnapshot(
        of key: SessionKey, _ page: LogPage, to peers: [PeerID], _ shown: CommittedSessions, _ orders: inout Orders
    ) {
        guard let view = shown[key] else { return }
        // The log may have returned no events: then what follows begins after the last one.
        let first = page.events.isEmpty ? view.seq + 1 : page.first
        let tail = SessionEvents(session: key.session, epoch: epochs[key.workspace], first: first, events: page.events)
        let snapshot = Snapshot.of(view, tail, in: key.workspace)
        let admitted = admit(peers, bytes: snapshot.bytes.count, of: key, .snapshot)
        if !admitted.isEmpty { orders.send(snapshot.bytes, to: admitted) }
        pages.add(snapshot.rest, to: admitted)
        armPage(&orders)
        let last = first + Int64(page.events.count) - 1
        replay(key, after: last, hasSnapshot: true, to: admitted, shown, &orders)
    }

    private mutating func sendReplay(
        of key: SessionKey, after seq: Int64, _ page: LogPage, to peers: [(peer: PeerID, hasSnapshot: Bool)],
        _ shown: CommittedSessions, _ orders: inout Orders
    ) {
        guard page.first == seq + 1, !page.events.isEmpty else {
            // The log no longer holds the events after this position.
            orders.send(.reset(key.session, .trimmed), to: peers.map(\.peer))
            for (peer, _) in peers { fetchSnapshot(of: key, peer, shown, &orders) }
            return
        }
        guard let view = shown[key] else { return }
        let events = SessionEvents(
            session: key.session, epoch: epochs[key.workspace], first: page.first, events: page.events)
        let (bytes, last) = (MessageToClient.events(events).bytes, seq + Int64(page.events.count))
        for hasSnapshot in [true, false] {
            let peers = peers.filter { $0.hasSnapshot == hasSnapshot }.map(\.peer)
            guard !peers.isEmpty else { continue }
            // At the log's end the approvals are sent too.
            let rest = hasSnapshot || last < view.seq ? 0 : Snapshot.approvals(of: view, in: key.workspace).bytes
            let admitted = admit(peers, bytes: bytes.count + rest, of: key, .after(seq), hasSnapshot: hasSnapshot)
            guard !admitted.isEmpty else { continue }
            orders.send(bytes, to: admitted)
            replay(key, after: last, hasSnapshot: hasSnapshot, to: admitted, shown, &orders)
        }
        armPage(&orders)
    }

    mutating func readFailed(
        _ id: ReadID, _ reason: String, isLasting: Bool, seeing shown: CommittedSessions, _ orders: inout Orders
    ) {
        let purposes = reads.end(id, &orders)
        let refusal = Reply.failed(isLasting ? .damaged : .unavailable, reason)
        for purpose in purposes {
            switch purpose {
            case .history(let peer, let command): orders.reply(refusal, to: command, of: peer)
            case .decision(let late): orders.reply(refusal, to: late.command, of: late.peer)
            case .subscription(let peer, let key) where isLasting: passOver(id, of: key, peer, shown, &orders)
            case .subscription(let peer, _):
                // The client has a position, with which it can reconnect.
                orders.add(.close(peer, .restarting))
            }
        }
        if isLasting { for purpose in purposes { resumePaused(purpose.peer, seeing: shown, &orders) } }
    }

    /// Skips an event that is damaged for good, so that the ones after it can be read: a client that replays gets a snapshot, and
    /// one that waits for a snapshot gets it without events.
    private mutating func passOver(
        _ read: ReadID, of key: SessionKey, _ peer: PeerID, _ shown: CommittedSessions, _ orders: inout Orders
    ) {
        guard let subscription = clients[peer]?.subscriptions[key.session], subscription.isReading(read), shown[key] != nil
        else { return }
        if let again = subscription.again {
            start(key, again, peer, shown, &orders)
        } else if case .replaying = subscription.state {
            orders.send(.reset(key.session, .trimmed), to: [peer])
            fetchSnapshot(of: key, peer, shown, &orders)
        } else {
            sendSnapshot(of: key, LogPage(first: 0, events: []), to: [peer], shown, &orders)
        }
    }

    // MARK: - Counting

    /// Counts its entries, for checks that they are bounded.
    func count(into census: inout RelayCensus) {
        census.reads += reads.underWayCount
        census.waiters += reads.waitingCount
        census.subscribers = audiences.subscriberCount
        for client in clients.values {
            census.subscriptions += client.subscriptions.count
            if client.subscriptions.count > Limits.subscriptionsMax { census.breach = "a client has too many subscriptions" }
        }
        if reads.mostOfOne > Limits.readsMax { census.breach = "too many reads are under way for a client" }
        pages.count(into: &census, among: clients.keys)
        if let breach = audiences.breach(among: clients) { census.breach = breach }
    }
}

extension Reply {
    fileprivate static let tooManyReads = Reply.failed(.tooMany, "too many reads are under way; wait for their answers")
}

extension LogPage {
    fileprivate func truncated(through seq: Int64) -> LogPage {
        LogPage(first: first, events: Array(events.prefix(Int(max(0, seq - first + 1)))))
    }
}
