internal import HeliographLink
internal import RelayProtocol

/// Writes the adapters' events and notes to the spool, and keeps account of those that could not be written.
struct Journal {
    enum Outcome {
        case taken
        /// Nothing was written. The approvals are those that were asked, or answered, in it.
        case refused(SpoolError, [ApprovalID])
    }

    let spool: Spool
    /// Spool positions of the open approvals' requests, by approval.
    private var asked: [String: (session: SessionID, seq: Int64)] = [:]
    /// Sessions with an event that could not be written.
    private var sessionsWithGaps: Set<SessionID> = []
    /// Sessions that ended since the last `takeEnded`.
    private var ended: [SessionID] = []
    /// Approvals whose request was too long to be sealed, since the last `takeUnsealable`.
    private var unsealable: [(SessionID, ApprovalID)] = []
    /// Ends of approvals that the relay may not have: those in the spool, and those that are still to be written.
    private var settled: [SessionID: [(approval: ApprovalID, seq: Int64)]] = [:]

    private var mark: UnsyncedMark
    /// True if the mark was written but not synchronized.
    private var isMarkNew = false
    /// True if something was written since the last `synchronize`.
    private var hasWritten = false

    /// `boot` names this start of the machine; empty if unknown.
    init(_ spool: Spool, boot: String) {
        self.spool = spool
        mark = UnsyncedMark(boot: boot, notes: spool.index.notes)
        for session in spool.index.sessions.keys { findApprovals(in: session) }
    }

    /// Writes the events and notes of all effects at once; returns nil if there are none. `log` is called for events that the wire
    /// would refuse.
    mutating func record(
        _ effects: [AgentEffect<any Sendable>], isNeeded: (SessionID) -> Bool, log: (HostLog) -> Void
    ) -> Outcome? {
        var items: [Spool.Item] = []
        var approvals: [(event: Int, id: ApprovalID, session: SessionID, isAsked: Bool)] = []
        var ends: [(event: Int, id: ApprovalID, session: SessionID)] = []
        var sessions: [SessionID] = []
        var begun: [String] = []
        for effect in effects {
            switch effect {
            case .emit(let session, let bytes, let isKept):
                // An event that the relay refuses would block all later ones.
                guard let event = try? Event(stored: bytes) else {
                    log(.malformed(session))
                    continue
                }
                switch event.head {
                case .approvalRequested(let request): approvals.append((sessions.count, request.approval, session, true))
                case .approvalDelivered(let id): approvals.append((sessions.count, id, session, false))
                case .sessionEnded: ended.append(session)
                case .sessionStarted: begun.append(session.rawValue)
                case let head: if let id = Self.settledApproval(of: head) { ends.append((sessions.count, id, session)) }
                }
                sessions.append(session)
                items.append(Self.item(event.head, session, bytes, isKept: isKept))
            case .remember(let key, let note): items.append(.note(key, note))
            case .stream, .show, .respond, .restrict, .heed, .checkAgents, .offer, .stands, .steered, .askAll, .launched,
                .launch,
                .begin, .own:
                break
            }
        }
        guard !items.isEmpty else { return nil }
        if !begun.isEmpty { Self.sort(&items, begun) }
        if let raised = mark.raise() {
            items.insert(raised, at: 0)
            isMarkNew = true
        }
        hasWritten = true
        do throws(SpoolError) {
            let numbers = try spool.append(items, isNeeded: isNeeded)
            for one in approvals where one.isAsked { asked[one.id.rawValue] = (one.session, numbers[one.event]) }
            for end in ends { settled[end.session, default: []].append((end.id, numbers[end.event])) }
        } catch {
            // The end is still to be written: it gets its number when the disk works again.
            for end in ends { settled[end.session, default: []].append((end.id, .max)) }
            sessionsWithGaps.formUnion(sessions)
            return .refused(error, approvals.map(\.id))
        }
        // Once an approval is settled, its request need not be kept.
        for case .note(let key, nil) in items {
            if let place = asked.removeValue(forKey: key) { spool.release(place.session, seq: place.seq) }
        }
        return .taken
    }

    /// Puts a session's note before its start: a power cut that leaves only one of them must not leave a session that no note says
    /// has to end.
    private static func sort(_ items: inout [Spool.Item], _ begun: [String]) {
        let isFirst = { (item: Spool.Item) in if case .note(let key, _?) = item { begun.contains(key) } else { false } }
        items = items.filter(isFirst) + items.filter { !isFirst($0) }
    }

    mutating func takeEnded() -> [SessionID] {
        defer { ended = [] }
        return ended
    }

    /// The item that the spool gets for an event. If the disk fails, the end of something is kept in memory and written later, as
    /// others wait for it. A question is not: its hook got no decision.
    private static func item(_ head: EventHead, _ session: SessionID, _ bytes: [UInt8], isKept: Bool) -> Spool.Item {
        switch head {
        case .approvalApplied, .approvalCancelled, .approvalStale, .sessionStarted, .sessionRenamed, .sessionEnded:
            .owed(session, bytes)
        case .steeringChanged(let change) where change.stage.isFinal: .owed(session, bytes)
        default: .event(session, bytes, isKept: isKept)
        }
    }

    // MARK: On disk

    /// True if an earlier start of the machine ended before all that was written was on disk.
    var mayHaveLost: Bool { mark.mayHaveLost }

    /// Longest time until the next sync; nil if nothing waits. The first write after a rest waits no longer than one that is sent.
    func syncDue(_ limits: HostLimits) -> Duration? {
        guard !spool.isFailing, spool.isDirty || mark.stands else { return nil }
        return isMarkNew ? limits.flushAfter : limits.syncAfter
    }

    /// Brings all that was written to disk.
    mutating func synchronize() throws(SpoolError) {
        try spool.synchronize()
        isMarkNew = false
    }

    /// Handles the end of the time that `syncDue` gave. If nothing was written meanwhile, the mark is removed, so that the next
    /// life of this daemon knows that all is on disk.
    mutating func syncIsDue() throws(SpoolError) {
        defer { hasWritten = false }
        try hasWritten || spool.isDirty ? synchronize() : rest()
    }

    /// Synchronizes and removes the mark, because no write is expected soon.
    mutating func rest() throws(SpoolError) {
        try synchronize()
        guard let lifted = mark.lift() else { return }
        try spool.append([lifted])
        try synchronize()
    }

    // MARK: Approvals that are over

    /// True if the end of the approval waits for the relay, which may still send the decision.
    func isSettled(_ approval: ApprovalID, in session: SessionID) -> Bool {
        settled[session]?.contains { $0.approval == approval } == true
    }

    /// Handles the relay's report that it has the session on disk through that number.
    mutating func acknowledge(_ session: SessionID, through: Int64) {
        let next = spool.index.nextSeq(of: session)
        spool.acknowledge(session, through: through)
        if spool.index.nextSeq(of: session) != next {
            // The waiting events were numbered anew.
            let owed = settled[session]?.filter { $0.seq == .max }
            findApprovals(in: session)
            if let owed { settled[session, default: []] += owed }
        }
        guard let ends = settled[session] else { return }
        if let first = spool.index.sessions[session]?.entries.first?.seq {
            settled[session] = ends.filter { $0.seq >= first }
        } else if !spool.isFailing {
            settled[session] = nil
        }
    }

    /// Reads a session's waiting events for approvals. An event that cannot be read is found when it is sent.
    private mutating func findApprovals(in session: SessionID) {
        settled[session] = nil
        asked = asked.filter { $0.value.session != session }
        for entry in spool.index.sessions[session]?.entries ?? [] where entry.isKept {
            guard let bytes = spool.read(entry, of: session), let head = try? Event(stored: bytes).head else { continue }
            if case .approvalRequested(let request) = head {
                asked[request.approval.rawValue] = (session, entry.seq)
            } else if let id = Self.settledApproval(of: head) {
                settled[session, default: []].append((id, entry.seq))
            }
        }
    }

    private static func settledApproval(of head: EventHead) -> ApprovalID? {
        switch head {
        case .approvalApplied(let id, _), .approvalCancelled(let id, _), .approvalStale(let id, _): id
        default: nil
        }
    }

    /// Drops an event that the relay refuses for good. Returns the approval that the event requested, which nobody will see.
    mutating func drop(_ session: SessionID, seq: Int64) -> ApprovalID? {
        spool.drop(session, seq: seq)
        return approval(askedIn: session, seq: seq)
    }

    private func approval(askedIn session: SessionID, seq: Int64) -> ApprovalID? {
        asked.first { $0.value == (session, seq) }.flatMap { ApprovalID($0.key) }
    }

    mutating func takeUnsealable() -> [(SessionID, ApprovalID)] {
        defer { unsealable = [] }
        return unsealable
    }

    var hasGaps: Bool { !sessionsWithGaps.isEmpty }

    /// Sessions that lost events while the disk failed, once.
    mutating func takeGaps() -> Set<SessionID> {
        defer { sessionsWithGaps = [] }
        return sessionsWithGaps
    }

    /// Sends all that the link accepts now, once it is on disk. Returns false if an event could not be read; it is a gap now.
    mutating func send(
        over link: inout LinkMachine, _ orders: inout [HostOrder], sealedBy consent: inout HostConsent?
    ) throws(SpoolError) -> Bool {
        try synchronize()
        while let question = link.nextQuestion(spool.index) { orders.append(.send(question)) }
        while let batch = link.nextBatch(spool.index) {
            guard var events = try read(batch, log: { orders.append(.log($0)) }) else { return false }
            for place in events.indices where consent?.isSealed == true {
                let number = batch.entries[place].seq
                if let sealed = try consent?.sealed(events[place], of: batch.session, number: number) {
                    events[place] = sealed
                    continue
                }
                // An event can only be too long if it was spooled while this host did not seal. The gap takes its number.
                let gap = Event(.truncated(count: 1), at: events[place].at)
                guard let sealed = try consent?.sealed(gap, of: batch.session, number: number) else {
                    preconditionFailure("a count can be sealed")
                }
                events[place] = sealed
                orders.append(.log(.unsealable(batch.session)))
                if let approval = approval(askedIn: batch.session, seq: number) { unsealable.append((batch.session, approval)) }
            }
            for message in Self.messages(of: events, batch) { orders.append(.send(message)) }
        }
        return true
    }

    /// The messages for a batch. Sealed events may need more messages than the batch was made for.
    private static func messages(of events: [Event], _ batch: SpoolIndex.Batch) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var start = 0
        while start < events.count {
            var (end, bytes) = (start, 0)
            while end < events.count, end == start || bytes + events[end].bytes.count < LinkLimits.messageBytes {
                bytes += events[end].bytes.count + 1
                end += 1
            }
            let told = HostEvents(
                session: batch.session, first: batch.first + Int64(start), isAfterGap: batch.isAfterGap && start == 0,
                events: Array(events[start..<end]))
            messages.append(HostMessage.events(told).bytes)
            start = end
        }
        return messages
    }

    /// Reads a batch. Returns nil if an event was damaged; it is dropped, which leaves a gap.
    private func read(_ batch: SpoolIndex.Batch, log: (HostLog) -> Void) throws(SpoolError) -> [Event]? {
        let stored: [[UInt8]]
        do throws(SpoolError) {
            stored = try spool.read(batch)
        } catch {
            guard error.code == .damaged else { throw error }
            log(.damaged(batch.session, first: batch.first, error))
            return nil
        }
        var events: [Event] = []
        for (entry, bytes) in zip(batch.entries, stored) {
            guard let event = try? Event(stored: bytes) else {
                log(.unreadable(batch.session))
                spool.drop(batch.session, seq: entry.seq)
                return nil
            }
            events.append(event)
        }
        return events
    }
}
