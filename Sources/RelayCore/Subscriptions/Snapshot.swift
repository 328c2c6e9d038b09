import RelayModel
import RelayProtocol

/// What a client is shown to begin with.
enum Snapshot {
    /// The latest sessions of a workspace.
    static func of(_ workspace: WorkspaceID, in shown: CommittedSessions) -> MessageToClient {
        // What they are put in order by is apart from the views: a view's state is large, and there may be thousands.
        var views: [(at: Int64, view: SessionView)] = []
        var books: [ApprovalBook] = []
        for (key, view) in shown.views where key.workspace == workspace {
            views.append((view.lastActivityAt, view))
            if view.approvals.count > 0 { books.append(view.approvals) }
        }
        views.sort {
            // Those of the same moment go by name, or they would change places from one snapshot to the next.
            $0.at != $1.at
                ? $0.at > $1.at : $0.view.sessionID.rawValue < $1.view.sessionID.rawValue
        }
        // A session with something to decide is shown however old it is.
        let latest =
            views.prefix(Limits.snapshotSessionsMax)
            + views.dropFirst(Limits.snapshotSessionsMax).filter { $0.view.openApprovalCount > 0 }
        return .workspaceSnapshot(sessions: latest.map { $0.view.summary }, approvals: approvals(of: books))
    }

    /// All that are open, and the last that were resolved; oldest first.
    static func approvals(of books: [ApprovalBook]) -> [Approval] {
        let latest = books.flatMap { $0.resolved(latest: SessionLimits.resolvedApprovalsMax) }.sorted {
            ($1.stage.resolvedAt ?? 0, $0.id.rawValue) < ($0.stage.resolvedAt ?? 0, $1.id.rawValue)
        }
        return (books.flatMap(\.open) + latest.prefix(SessionLimits.resolvedApprovalsMax)).sorted {
            ($0.requestedAt, $0.id.rawValue) < ($1.requestedAt, $1.id.rawValue)
        }
    }
}
