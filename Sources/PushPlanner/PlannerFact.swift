package import RelayModel
package import RelayProtocol

/// The planner's input: facts, in past tense.
package enum PlannerFact {
    /// The relay has started. `holders`: who holds a token of a client; nil: everybody.
    case started(holders: Set<ClientKey>?)
    /// The wall clock was set; see `PushPlanner.isBehindClock(at:)`.
    case clockWasSet
    case clientAsked(ClientRequest)
    /// A connection of a client is over.
    case clientLeft(PeerID)
    /// Every client that holds a token.
    case clientsListed(Set<ClientKey>)
    /// The workspace was removed.
    case workspaceRemoved(WorkspaceID)
    /// Pushes a day of every workspace that has a limit of its own.
    case limitsListed([WorkspaceID: Int])
    /// The stored state of these sessions, or the set of connected clients, has changed.
    case sessionsChanged([SessionKey])
    /// Retention removed the session.
    case sessionRemoved(SessionKey)
    /// The batch that is about to be cut tells of this crossing. The view is the session's with that batch.
    case budgetCrossed(BudgetCrossing, SessionKey, SessionView)
    /// A batch is about to be cut: what the disk has not taken goes with it.
    case batchCut
    /// Planned pushes that are on disk now.
    case committed([PushIntent])
    /// Nothing of this is on disk.
    case commitFailed(LostPlan)
    case timerFired(PlannerTimer)
    case pushAnswered(PushID, PushOutcome)
    /// Not sent: an app has reported one of its addresses in another workspace since.
    case addressMoved(PushID, PushAddress)
    /// An obstacle to pushes may be gone: sending was set up again.
    case pushWayChanged
    /// A holder of the code that this push carried decides with it.
    case codePresented(PushID, Decision.Verdict, CommandID, PeerID, signature: String? = nil)
    /// An approval ordered with `decide` has been decided, and waits for the disk.
    case codeDecided(PushID)
}

/// A command about pushes.
package struct ClientRequest {
    package let command: ClientCommand
    package let id: CommandID
    package let peer: PeerID
    package let client: ClientIdentity
    /// The log certainly has no session, nor had one, of the name in the command.
    package let namesNoSession: Bool

    package init(_ command: ClientCommand, _ id: CommandID, by peer: PeerID, of client: ClientIdentity, namesNoSession: Bool) {
        self.command = command
        self.id = id
        self.peer = peer
        self.client = client
        self.namesNoSession = namesNoSession
    }

    var workspace: WorkspaceID { client.workspace.id }
}

/// The planner's part of batches that the disk did not take.
package struct LostPlan {
    package let records: [PushRecord]
    package let orders: [PushIntent]
    /// Alerts about events of these batches, by number.
    package let tied: [DeviceKey: Set<Int64>]

    package init(records: [PushRecord], orders: [PushIntent], tied: [DeviceKey: Set<Int64>]) {
        self.records = records
        self.orders = orders
        self.tied = tied
    }
}
