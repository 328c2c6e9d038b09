import RelayProtocol

/// One session: what is on disk, what is staged on top of it, and who watches.
struct Session {
    let key: SessionKey
    /// As on disk; nil until the first commit. The only view that is ever shown.
    var committed: SessionView?
    /// With everything accepted so far.
    var staged: SessionView
    /// The staged view as it was when the batch under way was cut.
    var cut: SessionView?
    var audience = Audience()

    init(key: SessionKey, committed: SessionView) {
        self.key = key
        self.committed = committed
        staged = committed
    }

    init(key: SessionKey, staged: SessionView) {
        self.key = key
        self.staged = staged
    }

    /// Adds an event to the staged view. Returns the approval that it opened or changed.
    mutating func stage(_ event: Event, seq: Int64, at now: Instant) -> Approval? {
        staged.reduce(event, seq: seq)
        staged.state.eventBytes += Int64(event.bytes.count)
        staged.state.touchedAt = now.wall
        if case .approvalRequested(let request) = event.head, let end = request.expiresAt {
            // The host's own clock says how long it waits: the difference holds although the clocks may not agree.
            let wait = min(max(0, end - event.at), Limits.expiryMax)
            staged.setExpiry(of: request.approval, openedAt: seq, to: now.wall + wait)
        }
        let changed = SessionView.approval(of: event.head).flatMap { staged.approvals[$0] }
        return changed?.seq == seq ? changed : nil
    }

    mutating func restore(_ approval: Approval) {
        committed?.approvals[approval.id] = approval
        staged.approvals[approval.id] = approval
    }

    /// Keeps the staged view as the one that the batch under way will make true.
    mutating func cutView() { cut = staged }

    /// Facts that are not events (who is connected) hold in every view at once.
    mutating func updateViews(_ change: (inout SessionView) -> Void) {
        change(&staged)
        if cut != nil { change(&cut!) }
        if committed != nil { change(&committed!) }
    }
}

/// A session at one moment: its state, and its approvals that are open or were resolved lately.
struct SessionView {
    /// Shared between views until one is changed: a view is kept with every tick and changed with every event, and a state is
    /// large.
    private var shared: SharedState
    var approvals: [ApprovalID: Approval] = [:]

    private final class SharedState {
        var state: SessionState
        init(_ state: SessionState) { self.state = state }
    }

    var state: SessionState {
        // Not `_read`: Swift 6.3.1 then lets go of what it yields too early.
        get { shared.state }
        _modify {
            if !isKnownUniquelyReferenced(&shared) { shared = SharedState(shared.state) }
            yield &shared.state
        }
    }

    init(state: SessionState) { shared = SharedState(state) }

    /// The same facts give the same orders, whatever a dictionary does.
    var approvalsInOrder: [Approval] { approvals.values.sorted { ($0.seq, $0.id.rawValue) < ($1.seq, $1.id.rawValue) } }
}
