package import PushPlanner
package import RelayModel
package import RelayProtocol

/// The core's input: facts, in past tense.
///
/// Handed on by value with every message, so the large cases that come seldom are indirect.
package enum Input: Sendable {
    /// A connection was authenticated and upgraded.
    case hostConnected(PeerID, HostIdentity)
    case clientConnected(PeerID, ClientIdentity)
    case hostSent(PeerID, HostMessage)
    indirect case clientSent(PeerID, ClientMessage)
    /// A message was refused before it had a meaning.
    case hostSentBadMessage(PeerID, WireError)
    indirect case clientSentBadMessage(PeerID, ClientMessageError)
    case disconnected(PeerID)
    /// All that was readable in this turn of the loop has been handled.
    case tickEnded
    /// The log has had approvals of these names; `committed` follows.
    case namesTaken([ApprovalName])
    /// The batch of the last `append` is on disk.
    case committed
    /// The batch of the last `append` is not on disk, and nothing of it is.
    case commitFailed(reason: String)
    case pageRead(ReadID, LogPage)
    /// Nil if the log holds no such approval.
    indirect case approvalRead(ReadID, Approval?)
    /// The removed sessions that the log knows, of those that were asked for.
    case removedSessionsRead(ReadID, [SessionKey: RemovedSession])
    /// `isLasting`: what was asked for will never be readable again.
    case readFailed(ReadID, reason: String, isLasting: Bool)
    /// Result of `findPictures`.
    indirect case picturesFound(PeerID, SteeringRequest, PictureFinding)
    /// Too many bytes wait for this peer: it is sent nothing but replies until `drained`.
    case congested(PeerID)
    /// The peer has read most of what waited.
    case drained(PeerID)
    case timerFired(RelayTimer)
    case pushAnswered(PushID, PushOutcome)
    /// Not sent: an app has reported one of its addresses in another workspace since.
    indirect case pushAddressMoved(PushID, PushAddress)
    /// An obstacle to pushes may be gone: sending was set up again.
    case pushWayChanged
    /// A holder of the code that this push carried decides with it on what the push showed. Answered like a command.
    indirect case codePresented(PeerID, CommandID, PushID, Decision.Verdict, signature: String? = nil)
    /// Result of `makePairingCode`.
    indirect case pairingAnswered(PeerID, CommandID, Reply)
    /// A person says that the wall clock is right.
    case clockConfirmed
    /// The tokens were read: these clients hold one, and no others do.
    case clientsListed(Set<ClientKey>)
    /// The limits of every workspace that has any of its own.
    case limitsListed([WorkspaceID: WorkspaceLimits])
    /// A connection was refused because the workspace has as many as it may.
    case connectionRefused(WorkspaceID)
    /// No token of this workspace is valid, nor will any be again. Answered by `.workspaceLeft`.
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

/// Names one read of the log.
package struct ReadID: Hashable, Sendable {
    package let rawValue: UInt64
}

package enum RelayTimer: Hashable, Sendable {
    case approvalExpiry(SessionKey, ApprovalID)
    case housekeeping
    /// The next step of retention.
    case trim
    /// Midnight, UTC: budgets of a day begin again.
    case dayEnd
    /// A peer has been congested for too long.
    case congestion(PeerID)
    /// The next page of a snapshot, and room for views that had none.
    case snapshotPage
    case push(PlannerTimer)
}
