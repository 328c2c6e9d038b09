import RelayModel
import RelayProtocol

/// What is one too many: of approvals, which are then stale at once, and of sessions, which then wait at their host.
extension Relay {
    private var quotas: Quotas { configuration.quotas }

    /// Nil where there is room for the approval that this event asks for, or where it asks for none.
    mutating func quotaReached(by event: Event, in key: SessionKey) -> Quota? {
        guard case .approvalRequested = event.head, let staged = sessions[key]?.staged else { return nil }
        if staged.openApprovalCount >= quotas.openApprovalsPerSession { return .openApprovalsPerSession }
        let host = staged.hostID
        var ofHost = (count: 1, bytes: event.bytes.count)
        var ofWorkspace = ofHost
        for other in asking[key.workspace] ?? [] {
            guard let session = sessions[other], asks(session) else {
                asking[key.workspace]?.remove(other)
                continue
            }
            let isOfHost = session.staged.hostID == host
            let approvals = session.staged.approvals
            ofWorkspace.count += approvals.openCount
            ofWorkspace.bytes += approvals.openBytes
            if isOfHost {
                ofHost.count += approvals.openCount
                ofHost.bytes += approvals.openBytes
            }
        }
        if ofHost.count > quotas.openApprovalsPerHost || ofHost.bytes > Limits.openApprovalBytesPerHostMax {
            return .openApprovalsPerHost
        }
        if ofWorkspace.count > quotas.openApprovalsPerWorkspace || ofWorkspace.bytes > Limits.openApprovalBytesPerWorkspaceMax {
            return .openApprovalsPerWorkspace
        }
        return nil
    }

    /// Nil where there is room for another session of this host.
    func quotaReached(byAnotherSessionOf host: HostKey) -> Quota? {
        if sessionsOfHosts[host, default: []].count >= quotas.sessionsPerHost { return .sessionsPerHost }
        let ofWorkspace = sessionsOfHosts.reduce(0) { $0 + ($1.key.workspace == host.workspace ? $1.value.count : 0) }
        return ofWorkspace >= quotas.sessionsPerWorkspace ? .sessionsPerWorkspace : nil
    }

    /// Nothing of the session is taken in. Its host keeps the events and tries again; meanwhile what has ended may make room.
    mutating func refuse(another session: SessionID, _ quota: Quota, to peer: PeerID, at now: Instant) {
        // All sessions are looked at for it, and a host may name thousands at once.
        if now.uptime >= roomSoughtAgainAt {
            roomSoughtAgainAt = now.uptime + Limits.trimInterval
            isTrimDue = true
        }
        let most = quota == .sessionsPerHost ? quotas.sessionsPerHost : quotas.sessionsPerWorkspace
        let owner = quota == .sessionsPerHost ? "a host" : "a workspace"
        refuse("the relay holds at most \(most) sessions of \(owner)", session, quota, to: peer)
    }

    /// Nil where this message of the session may be taken in.
    mutating func paceReached(
        by count: Int, at place: Dictionary<SessionKey, Session>.Index, _ now: Instant
    ) -> Quota? {
        sessions.values[place].paceReached(by: count, quotas, at: now)
    }

    /// More comes of one session than may. Its host keeps the events and tries again, and goes on with its other sessions.
    mutating func refuse(moreOf session: SessionID, _ quota: Quota, to peer: PeerID) {
        refuse("more comes than limits.\(quota.rawValue) allows: send it later", session, quota, to: peer)
    }

    private mutating func refuse(_ message: String, _ session: SessionID, _ quota: Quota, to peer: PeerID) {
        orders.add(.quotaReached(quota))
        let notice = Notice(code: ErrorCode.tooMany.rawValue, message: message, path: "$.session", session: session)
        send(.notice(notice), toHost: peer)
    }

    /// Whether an approval is open, or would be if what is staged were taken back.
    private func asks(_ session: Session) -> Bool {
        session.staged.openApprovalCount > 0 || (shown[session.key]?.openApprovalCount ?? 0) > 0
    }
}
