import PushPlanner
import RelayModel
import RelayProtocol

/// Shows changes, but only those that a commit has put on disk.
extension Relay {
    /// Cuts a batch from what is staged, unless a commit is under way: what arrives meanwhile makes the next batch larger.
    mutating func appendStaged(at now: Instant) {
        guard committing == nil else { return }
        planTrims(at: now)
        settleBudgets(at: now)
        settleCosts(at: now)
        if !staging.isEmpty { tellPlanner(.batchCut, at: now) }
        guard !staging.isEmpty else { return }
        for staged in staging.appends { sessions.cut(staged.key) }
        budgets.cut()
        orders.add(.append(staging.batch { sessions.staged($0) }))
        committing = staging
        staging = Staging()
    }

    mutating func committed(at now: Instant) {
        guard let batch = committing else { preconditionFailure("a commit answers an append") }
        committing = nil
        var acks: [PeerID: [SessionProgress]] = [:]
        var appends: [(staged: Staging.Staged, prepared: PreparedMessages?)] = []
        appends.reserveCapacity(batch.appends.count)
        for staged in batch.appends {
            let key = staged.key
            let through = shown.hostSeq(of: key) ?? 0
            let (view, prepared) = sessions.committed(key)
            appends.append((staged, prepared))
            removed.remove(key)
            if view.hostSeq > through, let host = hostPeer(of: key, view) {
                acks[host, default: []].append(SessionProgress(session: key.session, through: view.hostSeq))
            }
        }
        // Messages are encoded in the order in which they are sent. First what agents and people wait for, decisions and questions.
        // Then acks: hosts send on while thousands of clients are written to, and their next events are in the next commit.
        for (staged, prepared) in appends { sendDecisions(of: staged, prepared) }
        for (staged, prepared) in appends where !staged.approvals.isEmpty { show(staged, prepared) }
        for (host, progress) in acks.sorted(by: { $0.key < $1.key }) { orders.send(.ack(progress), toHost: host) }
        for (staged, prepared) in appends where staged.approvals.isEmpty { show(staged, prepared) }
        show(batch.trims)
        if !batch.trims.isEmpty { sweep.committed(batch.removals, &orders) }
        if let used = costs.committed() { orders.add(.used(used)) }
        for workspace in budgets.committed() { showBudgets(of: workspace, at: now) }
        answerBudgets(.done)
        for (key, request) in commands.committed(batch.commands, reaching: presence.speakers, &orders) {
            refuseUnsent(request, in: key, at: now)
        }
        answerDecisions()
        tellPlanner(committed: batch, at: now)
        for trim in batch.trims where trim.state == nil { tellPlanner(.sessionRemoved(trim.key), at: now) }
        tellPlanner(changesOf: batch.appends.map(\.key), at: now)
        turnDay(at: now)
        letGoOfLeaving(at: now)
    }

    /// The commit failed, so what was staged on top is lost too: every view falls back to what is on disk. Hosts get no ack and
    /// send again; clients are notified.
    mutating func commitFailed(_ reason: String, at now: Instant) {
        guard let batch = committing else { preconditionFailure("a failed commit answers an append") }
        committing = nil
        var losers: Set<HostKey> = []
        for key in batch.appends.map(\.key) + staging.appends.map(\.key) {
            if let loser = sessions.lost(key, at: now, &orders) { losers.insert(loser) }
        }
        sweep.lost()
        let records = batch.commands + staging.commands
        var failed = batch
        failed.records += staging.records
        failed.orders += staging.orders
        failed.recordWaiters += staging.recordWaiters
        failed.tied.merge(staging.tied) { $0.union($1) }
        staging = Staging()
        budgets.lost()
        costs.lost()
        answerBudgets(.failed(.unavailable, reason))
        commands.lost(records, reason, &orders)
        refuseDecisions(reason)
        tellPlanner(failed: failed, reason, at: now)
        // A host whose events were dropped must send them again on a new connection, after its back-off. Events still under way on
        // this one follow the dropped ones, and after a gap on the host's side those would be taken as lost there too. The reason
        // is sent first.
        for peer in presence.hosts.keys.sorted() {
            guard let host = presence.hosts[peer]?.key, losers.contains(host) else { continue }
            orders.send(.notice(.init(.unavailable, reason)), toHost: peer)
            orders.add(.close(peer, .restarting))
            disconnected(peer, at: now)
        }
        turnDay(at: now)
        letGoOfLeaving(at: now)
    }

    /// Encodes the messages that the batch under way will show, while the disk is busy: otherwise people and agents would wait for
    /// one after the other. Called once the effects of `appendStaged` are being carried out; optional, without visible effect.
    package mutating func prepare() {
        guard let batch = committing, batch.eventBytes <= Limits.preparedBytesMax else { return }
        for staged in batch.appends {
            let key = staged.key
            guard let view = sessions.cut(of: key) else { continue }
            var messages = PreparedMessages()
            if !staged.events.isEmpty, !subscriptions.live(of: key).isEmpty {
                messages.events = Self.message(of: staged, epochs[key.workspace]).bytes
            }
            if subscriptions.isWatched(key) {
                messages.summary = MessageToClient.summary(view.summary).bytes
                messages.approvals = staged.approvals.map { approval in
                    isWhatItCameTo(approval, in: view) ? MessageToClient.approval(approval).bytes : nil
                }
            }
            if staged.isDecided, hostPeer(of: key, view) != nil {
                messages.decisions = staged.approvals.map { approval in
                    isDecidedLast(approval, in: view) ? decision(of: approval).bytes : nil
                }
            }
            sessions.prepared(messages, of: key)
        }
    }

    private static func message(of staged: Staging.Staged, _ epoch: Epoch) -> MessageToClient {
        .events(
            SessionEvents(
                session: staged.key.session, epoch: epoch, first: staged.firstSeq, events: staged.events.map(\.bytes)))
    }

    private mutating func sendDecisions(of staged: Staging.Staged, _ prepared: PreparedMessages?) {
        guard staged.isDecided, let view = shown[staged.key], let host = hostPeer(of: staged.key, view) else { return }
        for (place, approval) in staged.approvals.enumerated() where isDecidedLast(approval, in: view) {
            orders.send(prepared?.decision(place) ?? decision(of: approval).bytes, to: host)
        }
    }

    private func isDecidedLast(_ approval: Approval, in view: SessionView) -> Bool {
        approval.stage.word == .decided && isWhatItCameTo(approval, in: view)
    }

    /// True if this is the approval's final version in the batch: intermediate versions are history and not shown.
    private func isWhatItCameTo(_ approval: Approval, in view: SessionView) -> Bool {
        approval.seq == view.approvals.seq(of: approval.id)
    }

    private mutating func show(_ staged: Staging.Staged, _ prepared: PreparedMessages?) {
        // Only its position in the host's numbering has changed.
        guard !staged.events.isEmpty else { return }
        let key = staged.key
        guard let view = shown[key] else {
            preconditionFailure("what was committed stays until the next input")
        }
        let epoch = epochs[key.workspace]
        subscriptions.sendToLive(
            Self.message(of: staged, epoch), made: prepared?.events, of: key, pausedAfter: staged.firstSeq - 1, &orders)
        sendToWatchers(.summary(view.summary), made: prepared?.summary, of: key)
        for (place, approval) in staged.approvals.enumerated() where isWhatItCameTo(approval, in: view) {
            sendToWatchers(.approval(approval), made: prepared?.approval(place), of: key)
            if approval.stage.isFinal { sessions.resolved(approval.id, in: key, &orders) }
        }
    }

    private func hostPeer(of key: SessionKey, _ view: SessionView) -> PeerID? {
        presence.speakers[HostKey(workspace: key.workspace, host: view.hostID)]
    }
}
