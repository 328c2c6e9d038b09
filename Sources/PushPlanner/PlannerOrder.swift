package import RelayModel
package import RelayProtocol

/// The planner's output: orders, carried out one after another by its owner.
package enum PlannerOrder {
    case reply(Reply, to: CommandID, of: PeerID)
    /// Reply `done` when all that is staged by now is on disk, or why it is not.
    case replyWhenStaged(to: CommandID, of: PeerID)
    /// To those of these that are not congested: it is shown to a client that asks again.
    case tell(MessageToClient, to: [PeerID])
    /// Put this on disk with the next batch; of one name the last holds.
    case stage(PushRecord)
    /// Hand this back with `PlannerFact.committed` when that batch is on disk.
    case stageOrder(PushIntent)
    /// Stage what the disk refused before; newer records of the same names, staged since, replace these.
    case stageFirst([PushRecord], [PushIntent])
    /// The alert of this number tells of an event of the next batch: without it there is nothing to tell of.
    case tie(DeviceKey, alert: Int64)
    /// Answered by `PlannerFact.pushAnswered` or `addressMoved`.
    case push(PushIntent)
    /// Do not send this push any more, if it is not on its way, and not again if it is. It is answered as any other.
    case withdraw(PushID)
    /// The workspace has sent as many pushes as it may in a day, and a further one is not sent.
    case allowanceReached(WorkspaceID)
    /// Fires once; arming it again moves it. `after` in milliseconds.
    case armTimer(PlannerTimer, after: Int64)
    case cancelTimer(PlannerTimer)
    /// Decide as this client would, and reply to it. Where that is taken, `PlannerFact.codeDecided` follows.
    case decide(DecideCommand, CommandID, as: ClientIdentity, PeerID, with: PushID)
}

package enum PlannerTimer: Hashable, Sendable {
    /// Something is due for a card: of one session, or of all.
    case card(WorkspaceID, DeviceID, SessionID?)
    /// An approval of this session shall ring.
    case rings(WorkspaceID, DeviceID, SessionID)
    /// What waits beyond those that are shown one by one is to be counted anew.
    case overflow(WorkspaceID, DeviceID)
    /// Send the digest of what was held back.
    case digest(WorkspaceID, DeviceID)
    /// Tell what the week has cost.
    case weekly(WorkspaceID, DeviceID)
    /// Try the alerts again that the service did not accept.
    case alerts(WorkspaceID, DeviceID)
    /// A broadcast channel shall be deleted.
    case channels
    /// Try the records again that the disk did not take.
    case owedRecords
}
