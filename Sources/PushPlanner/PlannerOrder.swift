package import RelayModel
package import RelayProtocol

/// The planner's output: orders, carried out one after another by its owner.
package enum PlannerOrder {
    case reply(Reply, to: CommandID, of: PeerID)
    /// Reply `done` when everything staged so far is on disk, or why it is not.
    case replyWhenStaged(to: CommandID, of: PeerID)
    /// Send this to those of the peers that are not congested; the others get it when they ask.
    case tell(MessageToClient, to: [PeerID])
    /// Write this to disk with the next batch. Of several records with one name the last counts.
    case stage(PushRecord)
    /// Return this with `PlannerFact.committed` when that batch is on disk.
    case stageOrder(PushIntent)
    /// Stage records that the disk refused before. Newer records of the same names, staged since, replace these.
    case stageFirst([PushRecord], [PushIntent])
    /// The alert of this number reports an event of the next batch, and is void without it.
    case tie(DeviceKey, alert: Int64)
    /// Send this. Answered by `PlannerFact.pushAnswered` or `addressMoved`.
    case push(PushIntent)
    /// Do not send this push if it has not left, and do not repeat it. It gets an outcome like any other.
    case withdraw(PushID)
    /// The workspace has reached its daily limit of pushes, and one was not sent.
    case allowanceReached(WorkspaceID)
    /// Fires once; arming it again moves it. `after` in milliseconds.
    case armTimer(PlannerTimer, after: Int64)
    case cancelTimer(PlannerTimer)
    /// Decide as this client would, and reply to it. If the decision is accepted, `PlannerFact.codeDecided` follows.
    case decide(DecideCommand, CommandID, as: ClientIdentity, PeerID, with: PushID)
}

package enum PlannerTimer: Hashable, Sendable {
    /// Serve a card: of one session, or of all.
    case card(WorkspaceID, DeviceID, SessionID?)
    /// Ring for approvals of this session.
    case rings(WorkspaceID, DeviceID, SessionID)
    /// Recount the requests beyond those that are shown one by one.
    case overflow(WorkspaceID, DeviceID)
    /// Send the digest of deferred alerts.
    case digest(WorkspaceID, DeviceID)
    /// Send the weekly cost digest.
    case weekly(WorkspaceID, DeviceID)
    /// Retry the alerts that the service did not accept.
    case alerts(WorkspaceID, DeviceID)
    /// Delete broadcast channels.
    case channels
    /// Stage again the records that the disk refused.
    case owedRecords
}
