package import RelayProtocol

/// A client's copy of the relay's state: sessions, approvals, and the logs of the sessions that it follows, each an exact part of
/// the relay's. Pure: takes facts, returns changes.
///
/// A batch of events that does not continue at the end of the log is refused; the change then has the position to subscribe from.
package struct ClientView: Sendable {
    /// Number of events that are kept; older ones can be read with `history`.
    package static let eventsKeptMax = 500

    /// The known end of one session's log.
    package struct Log: Sendable {
        package fileprivate(set) var position: Position
        /// The last events up to `position`.
        package fileprivate(set) var events: [[UInt8]] = []
        /// True after a gap: nothing is accepted until the log continues at `position`.
        package fileprivate(set) var isBroken = false
    }

    package struct ApprovalKey: Hashable, Sendable {
        package var session: SessionID
        package var approval: ApprovalID
    }

    package enum Change: Sendable {
        /// The relay's log has another epoch; everything known before is invalid.
        case epochChanged
        /// All sessions and pending approvals are known, for the first time in this epoch.
        case workspaceKnown
        case session(Summary, previous: Summary?)
        case sessionGone(SessionID)
        case approval(Approval, previous: Approval?)
        /// `skipped`: number of events before `first` that were not received and will not be.
        case events(SessionEvents, skipped: Int64)
        case delta(Delta)
        case output(ToolOutput)
        case reset(SessionID, ResetReason)
        /// A snapshot of this session was received; its new events, if any, have been reported.
        case sessionKnown(SessionID)
        /// Events were missing, or the epoch changed: subscribe again, after this position, or for a snapshot if it is nil.
        case resubscribe(SessionID, after: Position?)
        /// A snapshot's numbers are inconsistent: it cannot be part of a log, and the session is not followed any more.
        case unusable(SessionID)
    }

    package private(set) var epoch: Epoch?
    package private(set) var isWorkspaceKnown = false
    /// True while pages of a workspace snapshot are still to come.
    package var awaitsPages: Bool { unconfirmed != nil }
    package private(set) var sessions: [SessionID: Summary] = [:]
    /// All pending approvals, and those resolved ones that the relay has sent.
    package private(set) var approvals: [ApprovalKey: Approval] = [:]
    package private(set) var logs: [SessionID: Log] = [:]
    /// Sessions that are followed, and whose first snapshot has not been received.
    private var expected: Set<SessionID> = []
    /// Sessions and approvals known before the snapshot that is arriving in pages, and in none of its pages so far; removed if they
    /// are in none at all.
    private var unconfirmed: (sessions: Set<SessionID>, approvals: Set<ApprovalKey>)?

    package init() {}

    package var pendingApprovals: [Approval] {
        approvals.values.filter { $0.stage == .pending }.sorted {
            ($0.requestedAt, $0.id.rawValue) < ($1.requestedAt, $1.id.rawValue)
        }
    }

    package func approval(_ approval: ApprovalID, of session: SessionID) -> Approval? {
        approvals[ApprovalKey(session: session, approval: approval)]
    }

    /// Accepts events of this session from now on: those after `position`, or those of the next snapshot if it is nil.
    package mutating func follow(_ session: SessionID, after position: Position?) {
        if let position {
            logs[session] = Log(position: position)
            expected.remove(session)
        } else {
            logs[session] = nil
            expected.insert(session)
        }
    }

    package mutating func unfollow(_ session: SessionID) {
        logs[session] = nil
        expected.remove(session)
    }

    package mutating func reduce(_ message: MessageToClient) -> [Change] {
        switch message {
        case .welcome(let welcome, _, _, _): return welcomed(welcome.epoch)
        case .workspaceSnapshot(let summaries, let approvals, let more, _):
            let changes = workspace(summaries, approvals)
            return more ? changes : workspaceEnded() + changes
        case .snapshotEnd: return workspaceEnded()
        case .sessionSnapshot(let tail, let seq, let summary, let approvals):
            return snapshot(tail, seq, summary, approvals)
        case .events(let batch): return extend(batch)
        case .deltas(let delta): return logs[delta.session] == nil ? [] : [.delta(delta)]
        case .output(let output): return logs[output.session] == nil ? [] : [.output(output)]
        case .summary(let summary): return take(summary)
        case .approval(let approval): return take(approval)
        // The snapshot that follows continues from here; the events in between are reported as skipped.
        case .reset(_, .behind): return []
        case .reset(let session, let reason):
            guard logs[session] != nil || expected.contains(session) else { return [] }
            follow(session, after: nil)
            return [.reset(session, reason)]
        case .removed(let session):
            let isKnown = sessions.removeValue(forKey: session) != nil
            approvals = approvals.filter { $0.key.session != session }
            unfollow(session)
            return isKnown ? [.sessionGone(session)] : []
        case .reply, .notice, .push, .letter: return []
        }
    }

    // MARK: - Workspace

    private mutating func welcomed(_ epoch: Epoch) -> [Change] {
        defer { self.epoch = epoch }
        unconfirmed = nil
        guard let known = self.epoch, known != epoch else { return [] }
        // Positions of another epoch cannot be compared.
        sessions = [:]
        approvals = [:]
        isWorkspaceKnown = false
        return [.epochChanged]
    }

    private mutating func workspace(_ summaries: [Summary], _ approvals: [Approval]) -> [Change] {
        unconfirmed = (Set(sessions.keys), Set(self.approvals.keys))
        let changes = summaries.flatMap { take($0) } + approvals.flatMap { take($0) }
        return isWorkspaceKnown ? changes : []
    }

    private mutating func workspaceEnded() -> [Change] {
        guard let gone = unconfirmed else { return [] }
        unconfirmed = nil
        approvals = approvals.filter { !gone.approvals.contains($0.key) }
        var changes: [Change] = []
        for session in gone.sessions.sorted(by: { $0.rawValue < $1.rawValue }) where sessions[session] != nil {
            sessions[session] = nil
            changes.append(.sessionGone(session))
        }
        if isWorkspaceKnown { return changes }
        isWorkspaceKnown = true
        return [.workspaceKnown]
    }

    /// True during a first snapshot, whose changes are reported as one, at its end.
    private var isBeginning: Bool { unconfirmed != nil && !isWorkspaceKnown }

    private mutating func take(_ summary: Summary) -> [Change] {
        let previous = sessions[summary.session]
        unconfirmed?.sessions.remove(summary.session)
        if let previous, previous.seq > summary.seq || previous == summary { return [] }
        sessions[summary.session] = summary
        return isBeginning && previous == nil ? [] : [.session(summary, previous: previous)]
    }

    private mutating func take(_ approval: Approval) -> [Change] {
        let key = ApprovalKey(session: approval.session, approval: approval.id)
        let previous = approvals[key]
        unconfirmed?.approvals.remove(key)
        if let previous,
            previous.seq > approval.seq || (previous.seq == approval.seq && previous.stage.word == approval.stage.word)
        {
            return []
        }
        approvals[key] = approval
        return isBeginning && previous == nil ? [] : [.approval(approval, previous: previous)]
    }

    // MARK: - Logs

    private mutating func snapshot(
        _ tail: SessionEvents, _ seq: Int64, _ summary: Summary, _ approvals: [Approval]
    ) -> [Change] {
        let session = tail.session
        guard expected.contains(session) || logs[session] != nil else { return [] }
        guard tail.first >= 1, tail.first + Int64(tail.events.count) - 1 == seq else {
            unfollow(session)
            return [.unusable(session)]
        }
        let known = logs[session]?.position
        let continues = known?.epoch == tail.epoch
        if continues, let known, seq < known.seq { return [] }

        var fresh = tail
        var skipped: Int64 = 0
        if continues, let known {
            let seen = known.seq - tail.first + 1
            if seen > 0 {
                fresh.first = known.seq + 1
                fresh.events = Array(tail.events.dropFirst(Int(seen)))
            }
            skipped = max(0, -seen)
        } else {
            skipped = tail.first - 1
        }
        logs[session] = Log(position: Position(epoch: tail.epoch, seq: seq), events: tail.events.suffix(Self.eventsKeptMax))
        expected.remove(session)

        var changes: [Change] = take(summary)
        self.approvals = self.approvals.filter { key, _ in
            key.session != session || approvals.contains { $0.id == key.approval }
        }
        for approval in approvals { changes += take(approval) }
        if !fresh.events.isEmpty || skipped > 0 { changes.append(.events(fresh, skipped: skipped)) }
        return changes + [.sessionKnown(session)]
    }

    private mutating func extend(_ batch: SessionEvents) -> [Change] {
        guard var log = logs[batch.session] else { return [] }
        guard batch.epoch == log.position.epoch else {
            follow(batch.session, after: nil)
            return [.resubscribe(batch.session, after: nil)]
        }
        let next = log.position.seq + 1
        guard batch.first <= next else {
            if log.isBroken { return [] }
            log.isBroken = true
            logs[batch.session] = log
            return [.resubscribe(batch.session, after: log.position)]
        }
        var fresh = batch
        fresh.first = next
        fresh.events = Array(batch.events.dropFirst(Int(next - batch.first)))
        // A repeat, whose events are known already.
        if fresh.events.isEmpty { return [] }
        log.position = Position(epoch: batch.epoch, seq: log.position.seq + Int64(fresh.events.count))
        log.events = (log.events + fresh.events).suffix(Self.eventsKeptMax)
        log.isBroken = false
        logs[batch.session] = log
        return [.events(fresh, skipped: 0)]
    }
}
