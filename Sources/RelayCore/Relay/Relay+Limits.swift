import PushPlanner
import RelayModel
import RelayProtocol

/// Limits of single workspaces, and notices to clients when one is reached.
extension Relay {
    mutating func limitsListed(_ limits: [WorkspaceID: WorkspaceLimits], at now: Instant) {
        allow(limits, at: now)
        sweep.fallsDue()
    }

    mutating func allow(_ limits: [WorkspaceID: WorkspaceLimits], at now: Instant) {
        allowances.replace(with: limits)
        sessions.allow(allowances)
        sweep.allow(allowances)
        tellPlanner(.limitsListed(limits.compactMapValues(\.pushesPerDay)), at: now)
    }

    /// Notifies all who watch the workspace, at most once per interval.
    mutating func tell(_ limit: WorkspaceLimit, in workspace: WorkspaceID, at now: Instant) {
        guard fullness.reached(limit, in: workspace, at: now) else { return }
        orders.send(.notice(Notice(limit)), to: subscriptions.watchers(of: workspace))
    }

    /// Reports full limits to a client that has just begun to watch.
    mutating func tellFullness(of workspace: WorkspaceID, to peer: PeerID, at now: Instant) {
        guard !peer.isCommandPeer else { return }
        for limit in fullness.limits(of: workspace, at: now) { orders.send(.notice(Notice(limit)), to: [peer]) }
    }
}

extension Notice {
    init(_ limit: WorkspaceLimit) {
        self.init(code: ErrorCode.tooMany.rawValue, message: limit.sentence, limit: limit)
    }
}

extension WorkspaceLimit {
    fileprivate var sentence: String {
        switch self {
        case .sessions:
            "the relay keeps no more sessions of this workspace: new ones wait until others end or are removed"
        case .megabytes:
            "the relay keeps no more events of this workspace: what happens waits at its hosts until there is room"
        case .recordsPerDay:
            "the relay records no more approvals of this workspace today: agents ask at their own prompts until midnight UTC"
        case .pushesPerDay: "the relay sends no more pushes for this workspace today: look here until midnight UTC"
        case .connections: "the relay takes no more connections of this workspace: close one first"
        }
    }
}
