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
    var subscribers: Set<PeerID> = []

    init(key: SessionKey, committed: SessionView) {
        self.key = key
        self.committed = committed
        staged = committed
    }

    init(key: SessionKey, staged: SessionView) {
        self.key = key
        self.staged = staged
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
    var state: SessionState
    var approvals: [ApprovalID: Approval] = [:]

    init(state: SessionState) { self.state = state }

    /// The same facts give the same orders, whatever a dictionary does.
    var approvalsInOrder: [Approval] { approvals.values.sorted { ($0.seq, $0.id.rawValue) < ($1.seq, $1.id.rawValue) } }
}
