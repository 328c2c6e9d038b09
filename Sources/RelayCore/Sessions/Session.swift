import RelayModel
import RelayProtocol

/// One session's staged changes, on top of its committed view in `Sessions.shown`.
struct Session {
    let key: SessionKey
    /// The view with everything accepted so far.
    var staged: SessionView
    /// The staged view when the batch under way was cut.
    private(set) var cut: SessionView?
    /// Messages encoded for that view; nil if there are none yet.
    var prepared: PreparedMessages?
    /// Bytes of memory that are counted against its host.
    private(set) var keptBytes = 0
    /// Bytes of events that are counted against its host.
    private(set) var eventBytes: Int64 = 0
    /// Nil until the host sends something.
    private var rateLimiter: SessionRateLimiter?

    init(key: SessionKey, staged: SessionView) {
        self.key = key
        self.staged = staged
    }

    // `mutating`, like all methods below, so that they run in place: a session that is read out of the dictionary is copied, with
    // reference counting for all its parts, and these are called with every message.
    /// The session's host, and the last event of that host's numbering that was accepted.
    mutating func standing() -> (host: HostID, hostSeq: Int64) { staged.standing }

    /// Returns the growth of the session's memory and of its events since the last call, in bytes, and the session's host.
    mutating func countGrowth() -> (bytes: Int, events: Int64, host: HostID) {
        let kept = staged.kept
        defer { (keptBytes, eventBytes) = (kept.bytes, kept.events) }
        return (kept.bytes - keptBytes, kept.events - eventBytes, kept.host)
    }

    /// Counts a message of this size and returns nil, or returns the quota that it would exceed.
    mutating func paceReached(by count: Int, isSpare: Bool = false, _ quotas: Quotas, at now: Instant) -> Quota? {
        if rateLimiter == nil { rateLimiter = SessionRateLimiter(quotas) }
        return rateLimiter?.take(count, isSpare: isSpare, at: now)
    }

    mutating func refusal(of event: Event) -> ReportRefusal? { staged.refusal(of: event) }

    /// True if the session would continue and take more memory after the events from the one at `index` on.
    func grows(by events: [Event], from index: Int) -> Bool {
        var view = staged
        for event in events[index...] { view.reduce(event, seq: view.seq + 1) }
        return view.endedAt == nil && view.keptBytes > staged.keptBytes
    }

    /// Records that the host is connected, and that its events up to this number were accepted.
    mutating func took(through hostSeq: Int64) {
        staged.took(through: hostSeq)
    }

    /// Adds an event to the staged view. Returns its number, and the approval that it opened or changed. `time`: of the clock that
    /// retention uses.
    mutating func stage(_ event: Event, at now: Instant, aged time: Int64) -> (seq: Int64, changed: Approval?) {
        let seq = staged.add(event, at: time)
        if case .approvalRequested(let request) = event.head, let end = request.expiresAt {
            // Both times are by the host's own clock, so their difference is right even if the clocks disagree.
            let wait = min(max(0, end - event.at), Limits.expiryMax)
            staged.setExpiry(of: request.approval, openedAt: seq, to: now.wall + wait)
        }
        let changed = SessionView.approval(of: event.head).flatMap { staged.approvals[$0] }
        return (seq, changed?.seq == seq ? changed : nil)
    }

    /// Keeps the staged view as the one that the batch under way will commit.
    mutating func cutView() { (cut, prepared) = (staged, nil) }

    /// The batch is on disk: returns the view that it committed, and the messages encoded for it.
    mutating func takeCut() -> (view: SessionView, prepared: PreparedMessages?)? {
        defer { (cut, prepared) = (nil, nil) }
        return cut.map { ($0, prepared) }
    }

    /// Discards the staged changes.
    mutating func fallBack(to view: SessionView) { (staged, cut, prepared) = (view, nil, nil) }

    /// Applies a change that is not an event to every view at once.
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

    mutating func forgetResolved(_ approval: ApprovalID) { approvals.forgetResolved(approval) }

    /// Forgets approvals resolved longer ago than the limit, and also those resolved that far in the future: a wrong clock must not
    /// keep them for ever.
    mutating func forgetResolved(at now: Int64) {
        let age = SessionLimits.resolvedApprovalsAge
        approvals.forgetResolved { (now - age...now + age).contains($0.stage.resolvedAt ?? 0) }
    }
}
