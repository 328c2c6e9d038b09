package import PushPlanner
package import RelayModel
package import RelayProtocol

/// The core's input: facts, in past tense.
///
/// Passed by value with every message, so large cases that are rare are indirect.
package enum Input: Sendable {
    /// A connection was authenticated and upgraded.
    case hostConnected(PeerID, HostIdentity)
    case clientConnected(PeerID, ClientIdentity)
    case hostSent(PeerID, HostMessage)
    indirect case clientSent(PeerID, ClientMessage)
    /// An invalid message of a host.
    case hostSentBadMessage(PeerID, WireError)
    indirect case clientSentBadMessage(PeerID, ClientMessageError)
    case disconnected(PeerID)
    /// The event loop has handled everything that was readable in this turn.
    case tickEnded
    /// The log already had approvals with these names; `committed` follows.
    case namesTaken([ApprovalName])
    /// The batch of the last `append` is on disk.
    case committed
    /// The batch of the last `append` failed, and nothing of it is on disk.
    case commitFailed(reason: String)
    case pageRead(ReadID, LogPage)
    /// Nil if the log holds no such approval.
    indirect case approvalRead(ReadID, Approval?)
    /// Those of the requested sessions that the log records as removed.
    case removedSessionsRead(ReadID, [SessionKey: RemovedSession])
    /// `isLasting`: true if the data will never be readable again.
    case readFailed(ReadID, reason: String, isLasting: Bool)
    /// Result of `findPictures`.
    indirect case picturesFound(PeerID, SteeringRequest, PictureFinding)
    /// Too many bytes wait for this peer: until `drained` it is sent nothing but replies.
    case congested(PeerID)
    /// The peer has read most of the bytes that waited.
    case drained(PeerID)
    case timerFired(RelayTimer)
    case pushAnswered(PushID, PushOutcome)
    /// The push was not sent: meanwhile an app has reported the address in another workspace.
    indirect case pushAddressMoved(PushID, PushAddress)
    /// Sending was set up again, so that pushes that failed may work now.
    case pushWayChanged
    /// A holder of the code in this push decides with it, on what the push showed. Answered like a command.
    indirect case codePresented(PeerID, CommandID, PushID, Decision.Verdict, signature: String? = nil)
    /// Result of `makePairingCode`.
    indirect case pairingAnswered(PeerID, CommandID, Reply)
    /// A person confirmed that the wall clock is right.
    case clockConfirmed
    /// All clients that have a token; no others do.
    case clientsListed(Set<ClientKey>)
    /// The limits of every workspace with limits of its own.
    case limitsListed([WorkspaceID: WorkspaceLimits])
    /// A connection was refused because the workspace has the maximum number.
    case connectionRefused(WorkspaceID)
    /// The workspace was removed: no token of it is valid any more. Answered by `.workspaceLeft`.
    case workspaceRemoved(WorkspaceID)
}

/// The host that a token speaks for.
package struct HostIdentity: Sendable, Equatable {
    package let workspace: WorkspaceID
    package let host: Named<HostTag>
    package let scope: Scope

    package init(workspace: WorkspaceID, host: Named<HostTag>, scope: Scope) {
        self.workspace = workspace
        self.host = host
        self.scope = scope
    }
}

/// Identifies one read of the log.
package struct ReadID: Hashable, Sendable {
    package let rawValue: UInt64
}

package enum RelayTimer: Hashable, Sendable {
    case approvalExpiry(SessionKey, ApprovalID)
    case housekeeping
    /// The next step of retention.
    case trim
    /// Midnight, UTC: daily budgets begin again.
    case dayEnd
    /// A peer has been congested for too long.
    case congestion(PeerID)
    /// The next page of a snapshot is due, and there is capacity again for views that wait.
    case snapshotPage
    case push(PlannerTimer)
}
