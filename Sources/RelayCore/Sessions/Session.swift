import RelayModel
import RelayProtocol

/// One session: what is staged on top of what is on disk. What is on disk of it is in `Sessions.shown`.
struct Session {
    let key: SessionKey
    /// The view with everything accepted so far.
    var staged: SessionView
    /// The staged view as it was when the batch under way was cut.
    private(set) var cut: SessionView?
    /// Messages made for that view; nil: none yet.
    var prepared: PreparedMessages?
    /// The bytes that are counted against its host.
    private(set) var keptBytes = 0
    /// Bytes of its events that are counted against its host.
    private(set) var eventBytes: Int64 = 0
    /// Bytes of its approvals and audit lines that are counted against its workspace.
    private(set) var recordBytes: Int64 = 0
    /// Bytes in the audit log of the removed session that it goes on from, until it is on disk again.
    var resumedAuditBytes: Int64?
    /// Nil until its host says something.
    private var rateLimiter: SessionRateLimiter?

    init(key: SessionKey, staged: SessionView) {
        self.key = key
        self.staged = staged
    }

    // `mutating`, as is all that follows, so that they are called where the session is: a session that is read out of the dictionary is
    // copied, with all that it refers to counted up and down, and this is asked with every message.
    /// Its host, and the last event of that host's numbering that was taken in.
    mutating func standing() -> (host: HostID, hostSeq: Int64) {
        (staged.hostID, staged.hostSeq)
    }

    /// Bytes that it keeps now and that were not counted yet; they are from now on.
    mutating func countGrowth() -> Int {
        let counted = keptBytes
        keptBytes = staged.keptBytes
        return keptBytes - counted
    }

    /// The same of the bytes of its events.
    mutating func countEventGrowth() -> Int64 {
        let counted = eventBytes
        eventBytes = staged.eventBytes
        return eventBytes - counted
    }

    /// The same of the bytes of its approvals and audit lines.
    mutating func countRecordGrowth() -> Int64 {
        let counted = recordBytes
        recordBytes = staged.recordBytes
        return recordBytes - counted
    }

    /// Nil if a message of this size may be accepted, which it then counts as.
    mutating func paceReached(by count: Int, isSpare: Bool = false, _ quotas: Quotas, at now: Instant) -> Quota? {
        if rateLimiter == nil { rateLimiter = SessionRateLimiter(quotas) }
        return rateLimiter?.take(count, isSpare: isSpare, at: now)
    }

    mutating func refusal(of event: Event) -> ReportRefusal? { staged.refusal(of: event) }

    /// True if it would go on and keep more in memory after these events, from the one at `index` on.
    func grows(by events: [Event], from index: Int) -> Bool {
        var view = staged
        for event in events[index...] { view.reduce(event, seq: view.seq + 1) }
        return view.endedAt == nil && view.keptBytes > staged.keptBytes
    }

    /// The host is connected, and its events up to this number were accepted.
    mutating func took(through hostSeq: Int64) {
        staged.took(through: hostSeq)
    }

    /// Adds an event to the staged view. Hands back its number, and the approval that it opened or changed.
    /// `time`: by which history ages.
    mutating func stage(_ event: Event, at now: Instant, aged time: Int64) -> (seq: Int64, changed: Approval?) {
        let seq = staged.seq + 1
        staged.reduce(event, seq: seq)
        staged.holds(event.bytes.count, since: time)
        if case .approvalRequested(let request) = event.head, let end = request.expiresAt {
            // The host's own clock says how long it waits: the difference holds although the clocks may not agree.
            let wait = min(max(0, end - event.at), Limits.expiryMax)
            staged.setExpiry(of: request.approval, openedAt: seq, to: now.wall + wait)
        }
        let known = SessionView.approval(of: event.head).flatMap { staged.approvals[$0] }
        let changed = known?.seq == seq ? known : nil
        staged.records(event, changing: changed)
        return (seq, changed)
    }

    /// Keeps the staged view as the one that the batch under way will make true.
    mutating func cutView() { (cut, prepared) = (staged, nil) }

    /// The batch is on disk: the view that it made true, and what was made of it already.
    mutating func takeCut() -> (view: SessionView, prepared: PreparedMessages?)? {
        defer { (cut, prepared) = (nil, nil) }
        return cut.map { ($0, prepared) }
    }

    /// The staged changes are lost.
    mutating func fallBack(to view: SessionView) { (staged, cut, prepared) = (view, nil, nil) }

    /// A change that is no event applies to every view at once.
    mutating func updateViews(_ change: (inout SessionView) -> Void) {
        change(&staged)
        if cut != nil { change(&cut!) }
        prepared?.summary = nil
    }
}

extension SessionView {
    fileprivate mutating func setExpiry(of approval: ApprovalID, openedAt seq: Int64, to end: Int64) {
        guard var approval = approvals[approval], approval.seq == seq else { return }
        approval.expiresAt = end
        approvals.put(approval)
    }

    var recordBytes: Int64 { approvalBytes + auditBytes }

    mutating func forgetResolved(_ approval: ApprovalID) { approvals.forgetResolved(approval) }

    /// A time that lies ahead was told by a clock that is wrong: it keeps nothing for ever.
    mutating func forgetResolved(at now: Int64) {
        let age = SessionLimits.resolvedApprovalsAge
        approvals.forgetResolved { (now - age...now + age).contains($0.stage.resolvedAt ?? 0) }
    }
}
