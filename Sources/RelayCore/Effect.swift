package import PushPlanner
package import RelayModel
package import RelayProtocol

/// The core's output: orders, carried out in order after `handle` has returned.
package enum Effect: Sendable {
    /// One message, encoded once, to each of these.
    case send([UInt8], to: [PeerID])
    /// The reply to a command peer: it has no connection for bytes.
    case answer(Reply, to: CommandID, of: PeerID)
    case close(PeerID, CloseCode)
    /// Commit this; at most one is under way. Answered by `.committed` or `.commitFailed`.
    case append(LogBatch)
    /// Answered by `.pageRead` or `.readFailed`.
    case read(ReadID, LogQuery)
    /// Answered by `.removedSessionsRead` or `.readFailed`.
    case readRemovedSessions(ReadID, [SessionKey])
    /// Answered by `.approvalRead` or `.readFailed`.
    case readApproval(ReadID, SessionKey, ApprovalID)
    /// Look whether all pictures of this prompt are kept with its session. Answered by `.picturesFound`.
    case findPictures(PeerID, SteeringRequest, SessionKey)
    /// Fires once; arming it again moves it. `after` in milliseconds.
    case armTimer(RelayTimer, after: Int64)
    case cancelTimer(RelayTimer)
    /// Answered by `.pushAnswered` or `.pushAddressMoved`. On disk as planned; sent again after a restart if there is no answer.
    case push(PushIntent)
    /// Do not send that push any more, if it is not on its way, and not again if it is. It is answered as any other.
    case withdrawPush(PushID)
    /// For metrics: something exceeded a limit.
    case quotaReached(Quota)
    /// For the log and metrics: retention removed this, and it is on disk.
    case historyRemoved([Removal])
    /// For metrics: what the events that are now on disk have used.
    case used(CostSum)
    /// For the log and metrics: the wall clock is so many milliseconds ahead of the time that history ages by, and not
    /// believed; nil: it is, again.
    case clockJudged(aheadBy: Int64?)
    /// Nothing of this workspace, which was removed, is in memory or on its way to the log: its data may be taken away.
    case workspaceLeft(WorkspaceID)
    /// Make a pairing code for this workspace. Answered by `.pairingAnswered`.
    case makePairingCode(PeerID, CommandID, PairingRole, WorkspaceID)
}

/// A query of a session's log.
package struct LogQuery: Sendable, Hashable {
    package enum Range: Sendable, Hashable {
        case after(Int64)
        case before(Int64)
    }

    package let key: SessionKey
    package let range: Range
    package let limit: Int
    package let bytesMax: Int
}
