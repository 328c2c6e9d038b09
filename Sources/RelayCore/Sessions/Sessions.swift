import RelayModel
import RelayProtocol

/// Every session, with its approvals: hosts' events are checked, numbered and staged here, and shown when they are on disk.
struct Sessions {
    private let quotas: Quotas
    private var sessions: [SessionKey: Session] = [:]
    private(set) var ofHosts: SessionsOfHosts
    private var records: DailyRecords
    /// The committed view of each session: the only views that are ever shown.
    private(set) var shown = CommittedSessions()
    private var asking = Asking()
    private var expiries = Expiries()
    private var resolvedApprovals = ResolvedApprovals()

    /// A session's index, which is valid until a session is opened or removed. A session is changed by its index: if there is none
    /// with this key, `sessions[key]?` may move the others.
    private typealias Place = Dictionary<SessionKey, Session>.Index
    /// The session that a host's message was about last: the messages of one come in sequences, and to find it hashes its name.
    private var latest: (key: SessionKey, place: Place)?

    init(restoring state: LogState, _ quotas: Quotas, _ allowances: Allowances? = nil) {
        self.quotas = quotas
        let allowances = allowances ?? Allowances(quotas)
        ofHosts = SessionsOfHosts(quotas, allowances)
        records = DailyRecords(allowances)
        for (key, stored) in state.sessions {
            var state = stored
            // No peer is connected to a relay that has just started, whatever the stored state says.
            state.summary.hostIsConnected = false
            shown.put(SessionView(state: state), for: key)
            ofHosts.add(key, of: HostKey(workspace: key.workspace, host: state.summary.host.id))
        }
        for (workspace, approval) in state.approvals {
            let key = SessionKey(workspace: workspace, session: approval.session)
            shown.update(key) { $0.approvals.put(approval) }
            if !approval.stage.isFinal { asking.add(key) }
        }
        for (key, view) in shown.views {
            sessions[key] = Session(key: key, staged: view)
            countKept(at: place(of: key))
        }
        let resolved = state.approvals.filter { $0.approval.stage.isFinal }
            .sorted { ($0.approval.stage.resolvedAt ?? 0) < ($1.approval.stage.resolvedAt ?? 0) }
        for (workspace, approval) in resolved {
            keep(approval, in: SessionKey(workspace: workspace, session: approval.session))
        }
    }

    mutating func started(at now: Instant, _ orders: inout Orders) {
        for key in sessions.keys.sorted() { armExpiries(of: key, at: now, &orders) }
    }

    // MARK: - Looks

    var count: Int { sessions.count }
    var isEmpty: Bool { sessions.isEmpty }
    var openApprovalCount: Int { sessions.values.reduce(0) { $0 + $1.staged.openApprovalCount } }
    /// Time at which the relay expires each open approval, by `Instant.uptime`.
    var deadlines: [ApprovalName: Int64] { expiries.due }

    func has(_ key: SessionKey) -> Bool { sessions.index(forKey: key) != nil }

    /// The view with everything accepted so far.
    func staged(_ key: SessionKey) -> SessionView? { sessions.index(forKey: key).map { sessions.values[$0].staged } }

    func inOrder(in workspace: WorkspaceID) -> [SessionKey] { sessions.keys.filter { $0.workspace == workspace }.sorted() }

    func inOrder(of host: HostKey) -> [SessionKey] { ofHosts[host].sorted() }

    /// The session's host according to the staged view.
    func host(of key: SessionKey) -> HostKey? { staged(key).map { HostKey(workspace: key.workspace, host: $0.hostID) } }

    /// The last event on disk by its host's numbering; nil if this host has no such session.
    func hostSeqOnDisk(of key: SessionKey, by host: HostKey) -> Int64? {
        self.host(of: key) == host ? shown[key]?.hostSeq : nil
    }

    /// Decisions that are on disk and that their host has not confirmed.
    func waitingDecisions(of host: HostKey) -> [Approval] {
        // Not by all sessions of the host, which may be thousands.
        let keys = asking.sessions(in: host.workspace).filter { ofHosts[host].contains($0) }.sorted()
        return keys.flatMap { shown[$0]?.approvals.openInOrder ?? [] }.filter { $0.stage.word == .decided }
    }

    // MARK: - Facts that are no events

    /// Applies the change to every view at once.
    mutating func update(_ key: SessionKey, _ change: (inout SessionView) -> Void) {
        guard let place = sessions.index(forKey: key) else { return }
        sessions.values[place].updateViews(change)
        shown.update(key, change)
        countKept(at: place)
    }

    /// Counts the session's memory, and the bytes of its events, against its host.
    private mutating func countKept(at place: Place) {
        let growth = sessions.values[place].countGrowth()
        guard growth.bytes != 0 || growth.events != 0 else { return }
        let host = HostKey(workspace: sessions.keys[place].workspace, host: growth.host)
        ofHosts.count(growth.bytes, events: growth.events, of: host)
    }

    /// False if that changes nothing: a session that has ended does not change with its host.
    mutating func setConnected(_ isConnected: Bool, _ host: Named<HostTag>, of key: SessionKey) -> Bool {
        guard let place = sessions.index(forKey: key), sessions.values[place].staged.endedAt == nil else { return false }
        update(key) { $0.hostChanged(to: host, isConnected: isConnected) }
        return true
    }

    mutating func setStagedBudget(_ mark: BudgetMark?, of key: SessionKey) {
        if let place = sessions.index(forKey: key) { sessions.values[place].staged.state.summary.budget = mark }
    }

    mutating func forgetResolved(at now: Int64) {
        // Iterates by index: a dictionary that is changed while its keys are iterated is copied.
        var place = sessions.startIndex
        while place != sessions.endIndex {
            update(sessions.keys[place]) { $0.forgetResolved(at: now) }
            sessions.formIndex(after: &place)
        }
        let shown = shown
        resolvedApprovals.forget { shown[$0.key]?.approvals[$0.approval] == nil }
    }

    // MARK: - Events

    /// Outcome of a host's message.
    enum Taking: Equatable {
        case taken
        /// Refused for lack of room for another session, or for more of it: retention may have to remove some.
        case noRoom(Quota)
        /// The log must be read first, to know whether there was such a session.
        case isUnknown
    }

    /// Accepts new events. `removed`: the position at which a removed session would continue. `isNewOtherwise`: an unknown session
    /// without one is new, instead of possibly known to the log.
    mutating func take(
        _ said: HostEvents, in key: SessionKey, of host: HostPeer, _ peer: PeerID, after removed: RemovedSession?,
        isNewOtherwise: Bool, at now: Instant, aged time: Int64, _ batch: inout Staging, _ orders: inout Orders
    ) -> Taking {
        // Looked up once: this is the hottest path, taken for every message of a host.
        let known = find(key)
        guard known != nil || removed != nil || isNewOtherwise else { return .isUnknown }
        let standing = known.map { sessions.values[$0].standing() } ?? removed.map { (host: $0.host, hostSeq: $0.hostSeq) }
        if let standing, standing.host != host.identity.host.id {
            orders.send(.notice(.isOfAnotherHost(said.session)), toHost: peer)
            return .taken
        }
        let expected = (standing?.hostSeq ?? 0) + 1
        if said.first > expected && !said.isAfterGap {
            orders.send(.resend(said.session, from: expected), toHost: peer)
            return .taken
        }
        let repeated = Int(max(0, expected - said.first))
        guard repeated < said.events.count else {
            // All these events were received before. Those that are not on disk yet are acknowledged by their commit.
            if let through = shown[key]?.hostSeq ?? removed?.hostSeq {
                orders.send(.ack([SessionProgress(session: said.session, through: through)]), toHost: peer)
            }
            return .taken
        }
        if let quota = ofHosts.quotaReached(byEventsOf: host.key) {
            refuse(said.session, quota, to: peer, &orders)
            return .noRoom(quota)
        }
        if records.isFull(key.workspace, at: now.wall) {
            let quota = Quota.recordMegabytesPerDayPerWorkspace
            if let index = said.events[repeated...].firstIndex(where: { $0.head.addsRecord }) {
                refuse(said.session, quota, event: said.first + Int64(index), to: peer, &orders)
                return .noRoom(quota)
            }
            if known == nil, removed == nil {
                refuse(said.session, quota, to: peer, &orders)
                return .noRoom(quota)
            }
        }
        if known == nil {
            if let quota = ofHosts.quotaReached(byAnotherOf: host.key) {
                refuse(said.session, quota, to: peer, &orders)
                return .noRoom(quota)
            }
            if removed == nil { records.countSession(in: key.workspace, at: now.wall) }
            open(key, of: host, startedAt: said.events.first?.at ?? now.wall, after: removed)
            batch.opened()
        }
        let place = known ?? place(of: key)
        if known != nil, let quota = ofHosts.quotaReached(byMoreOf: host.key),
            sessions.values[place].grows(by: said.events, from: repeated)
        {
            refuse(said.session, quota, to: peer, &orders)
            return .noRoom(quota)
        }
        // Uses the stored key: comparing it with itself further on is fast, as its text has the same storage.
        let name = sessions.keys[place]
        // Counted by index: a slice would retain and release each element.
        var count = 0
        for index in repeated..<said.events.count { count += said.events[index].bytes.count }
        if let quota = sessions.values[place].paceReached(by: count, quotas, at: now) {
            refuse(said.session, quota, to: peer, &orders)
            return .taken
        }
        if said.first > expected {
            let lost = said.first - expected
            stage(Event(.truncated(count: lost), at: now.wall), in: name, at: place, now, aged: time, &batch, &orders)
            sessions.values[place].staged.state.hostSeq = said.first - 1
        }
        // Read in place: an event that is taken out of its array is copied.
        let events = said.events.span
        for index in repeated..<events.count {
            guard let refusal = sessions.values[place].refusal(of: events[index]) else {
                stage(events[index], in: name, at: place, now, aged: time, &batch, &orders)
                continue
            }
            if refusal == .noSuchCommand { orders.send(.notice(.noSuchCommand(in: said.session)), toHost: peer) }
            let staged = sessions.values[place].staged
            if events[index].isSealed {
                // A claim about an unknown command is replaced, as the audit would take it for true.
                let event = refusal == .afterEnd ? events[index] : Event(.truncated(count: 1), at: events[index].at)
                stage(event, in: name, at: place, now, aged: time, &batch, &orders)
            } else if staged.seq >= staged.state.summary.first {
                batch.passOver(in: name, after: staged.seq)
            } else {
                // A session exists by its events, and this one would have none.
                let gap = Event(.truncated(count: 1), at: events[index].at)
                stage(gap, in: name, at: place, now, aged: time, &batch, &orders)
            }
        }
        sessions.values[place].took(through: said.first + Int64(said.events.count) - 1)
        countKept(at: place)
        return .taken
    }

    private mutating func open(_ key: SessionKey, of host: HostPeer, startedAt: Int64, after removed: RemovedSession?) {
        // A session whose beginning was lost is created nevertheless; `session.started` sets the agent if it comes.
        let summary = Summary(
            session: key.session, host: host.identity.host, hostIsConnected: true, agentName: "unknown", startedAt: startedAt)
        var state = SessionState(summary: summary)
        if let removed {
            state.summary.seq = removed.seq
            state.summary.first = removed.seq + 1
            state.hostSeq = removed.hostSeq
            state.resume(usage: removed.usage)
        }
        ofHosts.add(key, of: host.key)
        latest = nil
        sessions[key] = Session(key: key, staged: SessionView(state: state))
        countKept(at: place(of: key))
    }

    /// True if a delta of this size may be passed on; false also if this host has no such session. `isSpare`: the delta may be
    /// dropped first.
    mutating func takesDelta(
        of key: SessionKey, by host: HostKey, _ count: Int, isSpare: Bool = false, at now: Instant, _ orders: inout Orders
    ) -> Bool {
        guard self.host(of: key) == host else { return false }
        let quota = sessions.values[place(of: key)].paceReached(by: count, isSpare: isSpare, quotas, at: now)
        if let quota, !isSpare { orders.add(.quotaReached(quota)) }
        return quota == nil
    }

    /// Adds one event to the session's staged view and to the tick's batch.
    mutating func stage(
        _ event: Event, in key: SessionKey, at now: Instant, aged time: Int64, _ batch: inout Staging, _ orders: inout Orders
    ) {
        let place = place(of: key)
        stage(event, in: key, at: place, now, aged: time, &batch, &orders)
        countKept(at: place)
    }

    private mutating func find(_ key: SessionKey) -> Place? {
        if let latest, latest.key == key { return latest.place }
        guard let place = sessions.index(forKey: key) else { return nil }
        latest = (key, place)
        return place
    }

    private func place(of key: SessionKey) -> Place {
        guard let place = sessions.index(forKey: key) else {
            preconditionFailure("events are staged in a session that is open")
        }
        return place
    }

    /// Stages at a known place; opens and removes no session.
    private mutating func stage(
        _ event: Event, in key: SessionKey, at place: Place, _ now: Instant, aged time: Int64, _ batch: inout Staging,
        _ orders: inout Orders
    ) {
        let quota = quotaReached(by: event, in: key)
        var before: CostSum?
        if case .usage = event.head { before = sessions.values[place].staged.spent }
        let (seq, approval) = sessions.values[place].stage(event, at: now, aged: time)
        batch.add(event, seq: seq, to: key, changing: approval)
        records.count(event, changing: approval, in: key.workspace, at: now.wall)
        if let before, let growth = sessions.values[place].staged.spent.growth(since: before) {
            let model = sessions.values[place].staged.summary.model
            batch.spent(Spending(key: key, at: event.at, model: model, sum: growth))
        }

        if case .sessionEnded = event.head { endApprovals(of: key, at: place, now, aged: time, &batch, &orders) }
        guard case .approvalRequested(let request) = event.head else { return }
        guard let opened = approval else {
            // Another input under the name of an existing approval: a decision on the first must not apply to it.
            let standing = sessions.values[place].staged.approvals[request.approval]
            guard standing?.request.digest != request.digest else { return }
            return stage(.nameTaken(at: now.wall), in: key, at: place, now, aged: time, &batch, &orders)
        }
        asking.add(key)
        if let quota {
            orders.add(.quotaReached(quota))
            let stale = Event(.approvalStale(request.approval, reason: "tooMany"), at: now.wall)
            stage(stale, in: key, at: place, now, aged: time, &batch, &orders)
        } else {
            expiries.arm(opened, in: key, at: now, &orders)
        }
    }

    /// Ends the open approvals of a session that has ended: nothing waits for a decision there, and one that its host does not have
    /// yet is not sent. Our own hosts cancel their approvals before. The outcome of a delivered decision is reported by the host.
    private mutating func endApprovals(
        of key: SessionKey, at place: Place, _ now: Instant, aged time: Int64, _ batch: inout Staging, _ orders: inout Orders
    ) {
        for approval in sessions.values[place].staged.approvals.openInOrder where approval.stage.word != .delivered {
            let stale = Event(.approvalStale(approval.id, reason: ApprovalStage.sessionEnded), at: now.wall)
            stage(stale, in: key, at: place, now, aged: time, &batch, &orders)
        }
    }

    // MARK: - Approvals

    /// Stages the decision if it is the first, and is for exactly what was shown. `hasRoom`: true if one more command may wait.
    mutating func decide(
        _ decide: DecideCommand, _ command: CommandID, in key: SessionKey, by client: ClientIdentity, hasRoom: Bool,
        at now: Instant, aged time: Int64, _ batch: inout Staging, _ orders: inout Orders
    ) -> Deciding {
        guard let approval = staged(key)?.approvals[decide.approval] else {
            return shown[key] == nil ? .refused(.noSuchApproval) : .isLate
        }
        guard shown[key]?.approvals[decide.approval] != nil else { return .refused(.noSuchApproval) }
        guard approval.request.digest == decide.digest else { return .refused(.otherDigest) }
        guard hasRoom else { return .refused(.failed(.tooMany, "too many commands wait for an answer")) }
        if approval.decision != nil { return .wasDecided }
        if approval.stage.isFinal { return .refused(.closed(approval)) }
        if let refusal = approval.request.refusal(of: decide.verdict) { return .refused(refusal) }
        let decision = Decision(
            decide.verdict, client: client.client.id, clientName: client.client.name, at: now.wall, command: command,
            signature: decide.signature)
        let event = Event(.approvalDecided(approval.id, decision), at: now.wall)
        stage(event, in: key, at: now, aged: time, &batch, &orders)
        return .isStaged
    }

    /// Withdraws approvals with names that the log already had. Old names are not kept in memory, so this is found only when a
    /// batch is written; these approvals have not been shown to anybody.
    mutating func withdraw(
        _ names: [ApprovalName], at now: Instant, aged time: Int64, _ batch: inout Staging, _ orders: inout Orders
    ) {
        for name in names where staged(name.key)?.approvals[name.approval] != nil {
            expiries.cancel(name.approval, in: name.key, &orders)
            update(name.key) { $0.withdraw(name.approval) }
            stage(.nameTaken(at: now.wall), in: name.key, at: now, aged: time, &batch, &orders)
        }
    }

    mutating func expire(
        _ name: ApprovalName, at now: Instant, aged time: Int64, _ batch: inout Staging, _ orders: inout Orders
    ) {
        expiries.fired(name)
        // A delivered decision is with the agent: its host reports the outcome.
        guard let approval = staged(name.key)?.approvals[name.approval],
            [.pending, .decided].contains(approval.stage.word)
        else { return }
        stage(Event(.approvalExpired(name.approval), at: now.wall), in: name.key, at: now, aged: time, &batch, &orders)
    }

    /// Expires approvals whose timers were late because the machine slept.
    mutating func expireOverdue(at now: Instant, aged time: Int64, _ batch: inout Staging, _ orders: inout Orders) {
        for name in expiries.overdue(at: now) {
            orders.add(.cancelTimer(.approvalExpiry(name.key, name.approval)))
            expire(name, at: now, aged: time, &batch, &orders)
        }
    }

    mutating func resolved(_ approval: ApprovalID, in key: SessionKey, _ orders: inout Orders) {
        expiries.cancel(approval, in: key, &orders)
        if let resolved = shown[key]?.approvals[approval], resolved.stage.isFinal { keep(resolved, in: key) }
    }

    /// Keeps a resolved approval in memory; drops those of its host that were resolved longest ago if there is no more room.
    private mutating func keep(_ approval: Approval, in key: SessionKey) {
        guard let host = host(of: key) else { return }
        for old in resolvedApprovals.add(approval, in: key, of: host) {
            guard shown[old.key]?.approvals[old.approval]?.stage.isFinal == true else { continue }
            update(old.key) { $0.forgetResolved(old.approval) }
        }
    }

    private mutating func armExpiries(of key: SessionKey, at now: Instant, _ orders: inout Orders) {
        for approval in shown[key]?.approvals.openInOrder ?? [] { expiries.arm(approval, in: key, at: now, &orders) }
    }

    // MARK: - The disk

    /// Keeps the staged view as the one that the batch commits.
    mutating func cut(_ key: SessionKey) { if let place = sessions.index(forKey: key) { sessions.values[place].cutView() } }

    /// The view that the batch under way commits; nil if the batch has nothing of the session.
    func cut(of key: SessionKey) -> SessionView? { sessions.index(forKey: key).flatMap { sessions.values[$0].cut } }

    mutating func prepared(_ messages: PreparedMessages, of key: SessionKey) {
        if let place = sessions.index(forKey: key) { sessions.values[place].prepared = messages }
    }

    /// The batch is on disk: its view of this session is shown from now on.
    mutating func committed(_ key: SessionKey) -> (view: SessionView, prepared: PreparedMessages?) {
        guard let place = sessions.index(forKey: key), let taken = sessions.values[place].takeCut() else {
            preconditionFailure("a session is held while its events are being committed")
        }
        shown.put(taken.view, for: key)
        return taken
    }

    /// Discards the staged changes: the session falls back to its committed view. Returns its host if that has to send again.
    mutating func lost(_ key: SessionKey, at now: Instant, _ orders: inout Orders) -> HostKey? {
        guard let staged = staged(key) else { return nil }
        let host = HostKey(workspace: key.workspace, host: staged.hostID)
        guard let view = shown[key] else {
            forget(key, of: host)
            return host
        }
        let place = place(of: key)
        sessions.values[place].fallBack(to: view)
        countKept(at: place)
        // A staged expiry has already used its timer.
        armExpiries(of: key, at: now, &orders)
        return staged.hostSeq != view.hostSeq ? host : nil
    }

    // MARK: - Retention

    /// Calls `look` with every session's staged view. `isCommitted`: the session is on disk, and the batch under way has nothing of
    /// it.
    @inline(__always)
    func forEach(_ look: (_ key: SessionKey, _ staged: SessionView, _ isCommitted: Bool) -> Void) {
        for place in sessions.indices {
            let key = sessions.keys[place]
            look(key, sessions.values[place].staged, sessions.values[place].cut == nil && shown.views.index(forKey: key) != nil)
        }
    }

    /// True if the session is on disk, and the batch under way has nothing of it.
    func isCommitted(_ key: SessionKey) -> Bool {
        sessions.index(forKey: key).map { sessions.values[$0].cut == nil } == true && shown[key] != nil
    }

    /// The oldest events were removed from the disk.
    mutating func trimmed(_ key: SessionKey, to state: SessionState) {
        let freed = (shown[key]?.eventBytes ?? 0) - state.eventBytes
        update(key) {
            $0.state.summary.first = state.summary.first
            $0.state.eventBytes -= freed
        }
    }

    /// The session was removed from the disk. `isStaged`: its host sent more events meanwhile; these begin the session again, from
    /// its position.
    mutating func removed(_ trim: SessionTrim, isStaged: Bool) {
        let (key, bytes) = (trim.key, shown[trim.key]?.eventBytes ?? 0)
        shown.remove(key)
        if isStaged {
            let place = place(of: key)
            sessions.values[place].staged.state.summary.first = trim.through + 1
            sessions.values[place].staged.state.eventBytes -= bytes
            countKept(at: place)
        } else if let host = host(of: key) {
            forget(key, of: host)
            asking.remove(key)
        }
    }

    private mutating func forget(_ key: SessionKey, of host: HostKey) {
        ofHosts.remove(key, of: host, keeping: sessions[key]?.keptBytes ?? 0, events: sessions[key]?.eventBytes ?? 0)
        latest = nil
        sessions[key] = nil
    }

    // MARK: - Quotas

    mutating func allow(_ allowances: Allowances) {
        ofHosts.allow(allowances)
        records.allow(allowances)
    }

    mutating func forgetRecords(of workspace: WorkspaceID) { records.forget(workspace) }

    /// Number of sessions that each host has to give up to make room for others.
    var excessOfHosts: [HostKey: Int] { ofHosts.excess }

    /// The quota that prevents the approval that this event requests; nil if there is none, or the event requests none.
    private mutating func quotaReached(by event: Event, in key: SessionKey) -> Quota? {
        guard case .approvalRequested = event.head, let staged = staged(key) else { return nil }
        if staged.openApprovalCount >= quotas.openApprovalsPerSession { return .openApprovalsPerSession }
        let (sessions, shown) = (sessions, shown)
        return asking.quotaReached(byAnother: event.bytes.count, in: key.workspace, of: staged.hostID, quotas) { other in
            guard let staged = sessions[other]?.staged else { return nil }
            return staged.openApprovalCount > 0 || (shown[other]?.openApprovalCount ?? 0) > 0 ? staged : nil
        }
    }

    /// Refuses a message as a whole. Its host keeps the events and tries again, and continues with its other sessions. `event`: the
    /// host's number of the one that it has to leave out.
    private func refuse(
        _ session: SessionID, _ quota: Quota, event: Int64? = nil, to peer: PeerID, _ orders: inout Orders
    ) {
        orders.add(.quotaReached(quota))
        let notice = Notice(
            code: ErrorCode.tooMany.rawValue, message: quotas.refusal(by: quota), path: "$.session", session: session,
            seq: event)
        orders.send(.notice(notice), toHost: peer)
    }

    // MARK: - Counting

    func count(into census: inout RelayCensus) {
        census.sessions = sessions.count
        census.expiries = expiries.due.count
        for session in sessions.values {
            census.approvals += session.staged.approvals.count
            census.openApprovals += session.staged.openApprovalCount
            if session.staged.openApprovalCount > quotas.openApprovalsPerSession {
                census.breach = "too many approvals are open"
            }
        }
        let kept = sessions.values.lazy.map {
            (
                host: HostKey(workspace: $0.key.workspace, host: $0.staged.hostID), bytes: $0.staged.keptBytes,
                events: $0.staged.eventBytes
            )
        }
        if ofHosts.isMiscounted(kept) { census.breach = "what sessions keep is counted wrongly" }
        if shown.isLiveMisfiled { census.breach = "the sessions that go on are not those that are listed" }
        if !Set(shown.views.keys).isSubset(of: sessions.keys) { census.breach = "a session is shown that is gone" }
    }
}

extension Notice {
    /// The notice on which a host drops its data of a session with this name, and continues with its other sessions.
    fileprivate static func isOfAnotherHost(_ session: SessionID) -> Notice {
        Notice(
            code: ErrorCode.notFound.rawValue, message: "this session belongs to another host", path: "$.session",
            session: session)
    }
}

extension Event {
    fileprivate static func nameTaken(at time: Int64) -> Event {
        let message = "an approval came under a name that an earlier one has: nobody is asked"
        return Event(.error(message: message, recoverable: true), at: time)
    }
}
