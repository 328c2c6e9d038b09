import RelayModel
import RelayProtocol

/// The initial view of a client: one message of limited size, and the items that did not fit, which follow in pages.
struct Snapshot {
    let bytes: [UInt8]
    /// The items that did not fit, in the order in which they follow, as `summary` and `approval` messages with their state at that
    /// time.
    let rest: ArraySlice<Item>

    /// A session or approval that is shown, by name: only this is kept of the items that follow.
    enum Item: Equatable {
        case summary(SessionKey)
        case approval(ApprovalName)

        var session: SessionID {
            switch self {
            case .summary(let key): key.session
            case .approval(let name): name.key.session
            }
        }
    }

    /// The snapshot of a workspace, with its latest sessions.
    static func of(_ workspace: WorkspaceID, in shown: CommittedSessions) -> Snapshot {
        let (latest, older, books) = parts(of: workspace, in: shown)
        var page = Page()
        // Items that wait for a person are added first.
        page.add(latest.filter { $0.openApprovalCount > 0 }, of: workspace)
        let approvals = approvals(of: books)
        page.add(approvals.filter { !$0.stage.isFinal }, of: workspace)
        page.add(latest.filter { $0.openApprovalCount == 0 }, of: workspace)
        page.add(approvals.filter(\.stage.isFinal), of: workspace)
        let sessions = latest.compactMap { page.sessions[$0.sessionID] }
        let bytes = MessageToClient.workspaceSnapshotBytes(
            sessions: sessions, approvals: page.approvalsInOrder, more: !page.rest.isEmpty, older: older.count)
        return Snapshot(bytes: bytes, rest: page.rest[...])
    }

    /// The sessions that a snapshot of the workspace leaves out, the latest first.
    static func older(of workspace: WorkspaceID, in shown: CommittedSessions) -> [Item] {
        parts(of: workspace, in: shown).older.map { .summary(SessionKey(workspace: workspace, session: $0)) }
    }

    /// The workspace's sessions, the latest first: those of its snapshot, and the older ones that it leaves out.
    private static func parts(
        of workspace: WorkspaceID, in shown: CommittedSessions
    ) -> (latest: [SessionView], older: [SessionID], books: [ApprovalBook]) {
        // The sort keys are kept apart from the views: a view's state is large, and there may be thousands.
        var views: [(at: Int64, view: SessionView)] = []
        var books: [ApprovalBook] = []
        for (key, view) in shown.views where key.workspace == workspace {
            views.append((view.lastActivityAt, view))
            if view.approvals.count > 0 { books.append(view.approvals) }
        }
        views.sort {
            // Sessions of the same time are sorted by name, so that they keep their order in the next snapshot.
            $0.at != $1.at
                ? $0.at > $1.at : $0.view.sessionID.rawValue < $1.view.sessionID.rawValue
        }
        var latest = views.prefix(Limits.snapshotSessionsMax).map(\.view)
        var older: [SessionID] = []
        for (_, view) in views.dropFirst(Limits.snapshotSessionsMax) {
            // A session with an open approval is shown however old it is.
            if view.openApprovalCount > 0 { latest.append(view) } else { older.append(view.sessionID) }
        }
        return (latest, older, books)
    }

    /// The snapshot of a session: its last events, its summary and its approvals.
    static func of(_ view: SessionView, _ tail: SessionEvents, in workspace: WorkspaceID) -> Snapshot {
        let last = tail.first + Int64(tail.events.count) - 1
        var page = Page(room: Limits.snapshotBytesMax - tail.events.reduce(0) { $0 + $1.count } - view.summary.bytes.count)
        let approvals = approvals(of: [view.approvals])
        page.add(approvals.filter { !$0.stage.isFinal }, of: workspace)
        page.add(approvals.filter(\.stage.isFinal), of: workspace)
        let bytes = MessageToClient.sessionSnapshotBytes(
            tail, seq: last, summary: view.summary, approvals: page.approvalsInOrder)
        return Snapshot(bytes: bytes, rest: page.rest[...])
    }

    /// The approvals of a session, for clients that need no events: those to send now, their size, and those that follow.
    static func approvals(
        of view: SessionView, in workspace: WorkspaceID
    ) -> (now: [Approval], bytes: Int, rest: ArraySlice<Item>) {
        var page = Page()
        page.add(approvals(of: [view.approvals]), of: workspace)
        return (page.approvals.map(\.approval), Limits.snapshotBytesMax - page.room, page.rest[...])
    }

    /// All open approvals, and the last resolved ones; oldest first.
    static func approvals(of books: [ApprovalBook]) -> [Approval] {
        let latest = books.flatMap { $0.resolved(latest: SessionLimits.resolvedApprovalsMax) }.sorted {
            ($1.stage.resolvedAt ?? 0, $0.id.rawValue) < ($0.stage.resolvedAt ?? 0, $1.id.rawValue)
        }
        return (books.flatMap(\.open) + latest.prefix(SessionLimits.resolvedApprovalsMax)).sorted(by: isBefore)
    }

    private static func isBefore(_ one: Approval, _ other: Approval) -> Bool {
        (one.requestedAt, one.id.rawValue) < (other.requestedAt, other.id.rawValue)
    }

    /// A message that takes items in the given order until one does not fit, and none after that.
    private struct Page {
        var room = Limits.snapshotBytesMax
        var sessions: [SessionID: [UInt8]] = [:]
        var approvals: [(approval: Approval, bytes: [UInt8])] = []
        var rest: [Item] = []

        /// JSON of the approvals, sorted by the time of their request.
        var approvalsInOrder: [[UInt8]] { approvals.sorted { isBefore($0.approval, $1.approval) }.map(\.bytes) }

        mutating func add(_ views: some Sequence<SessionView>, of workspace: WorkspaceID) {
            for view in views {
                let item = Item.summary(SessionKey(workspace: workspace, session: view.sessionID))
                add(item, made: { view.summary.bytes }) { $0.sessions[view.sessionID] = $1 }
            }
        }

        mutating func add(_ approvals: [Approval], of workspace: WorkspaceID) {
            for approval in approvals {
                let key = SessionKey(workspace: workspace, session: approval.session)
                add(.approval(ApprovalName(key, approval.id)), made: { approval.bytes }) { $0.approvals.append((approval, $1)) }
            }
        }

        /// `bytes` is not called once the message is full.
        private mutating func add(_ item: Item, made bytes: () -> [UInt8], _ take: (inout Page, [UInt8]) -> Void) {
            guard rest.isEmpty else { return rest.append(item) }
            let bytes = bytes()
            guard bytes.count <= room else { return rest.append(item) }
            room -= bytes.count
            take(&self, bytes)
        }
    }
}
