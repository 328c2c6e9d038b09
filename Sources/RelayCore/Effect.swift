package import PushPlanner
package import RelayModel
package import RelayProtocol

/// The core's output: orders, which are carried out in order after `handle` has returned.
package enum Effect: Sendable {
    /// Sends one message, encoded once, to each of these peers.
    case send([UInt8], to: [PeerID])
    /// Replies to a command peer, which has no connection that could take bytes.
    case answer(Reply, to: CommandID, of: PeerID)
    case close(PeerID, CloseCode)
    /// Commits this batch; at most one is under way. Answered by `.committed` or `.commitFailed`.
    case append(LogBatch)
    /// Answered by `.pageRead` or `.readFailed`.
    case read(ReadID, LogQuery)
    /// Answered by `.removedSessionsRead` or `.readFailed`.
    case readRemovedSessions(ReadID, [SessionKey])
    /// Answered by `.approvalRead` or `.readFailed`.
    case readApproval(ReadID, SessionKey, ApprovalID)
    /// Checks whether all pictures of this prompt are stored with its session. Answered by `.picturesFound`.
    case findPictures(PeerID, SteeringRequest, SessionKey)
    /// Arms a timer that fires once; arming it again moves it. `after`: milliseconds.
    case armTimer(RelayTimer, after: Int64)
    case cancelTimer(RelayTimer)
    /// Sends a push. Answered by `.pushAnswered` or `.pushAddressMoved`. The intent is on disk, and sent again after a restart if
    /// there was no answer.
    case push(PushIntent)
    /// Withdraws a push: it is not sent if it still waits, and not repeated if it is being sent. It is answered like any other.
    case withdrawPush(PushID)
    /// A limit was exceeded, for metrics.
    case quotaReached(Quota)
    /// For the log and metrics: retention has removed this, and the removal is on disk.
    case historyRemoved([Removal])
    /// For metrics: the usage of the events that are now on disk.
    case used(CostSum)
    /// For the log and metrics: the wall clock is this many milliseconds ahead of the time that retention uses, and is not trusted;
    /// nil: it is trusted again.
    case clockJudged(aheadBy: Int64?)
    /// Neither memory nor a pending commit has anything of this removed workspace any more: its data may be deleted.
    case workspaceLeft(WorkspaceID)
    /// Makes a pairing code for this workspace. Answered by `.pairingAnswered`.
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
