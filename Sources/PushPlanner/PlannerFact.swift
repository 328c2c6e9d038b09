package import RelayModel
package import RelayProtocol

/// What happened, as far as it concerns pushes: facts, in past tense.
package enum PlannerFact {
    /// The relay has started. `holders`: who holds a token of a client; nil: everybody.
    case started(holders: Set<ClientKey>?)
    /// The wall clock was set; see `PushPlanner.isBehindClock(at:)`.
    case clockWasSet
    case clientAsked(ClientRequest)
    /// A connection of a client is over.
    case clientLeft(PeerID)
    /// These clients hold a token, and no others do.
    case clientsListed(Set<ClientKey>)
    /// The workspace was removed.
    case workspaceRemoved(WorkspaceID)
    /// What is on disk of these sessions, or who is connected, has changed.
    case sessionsChanged([SessionKey])
    /// Retention removed the session.
    case sessionRemoved(SessionKey)
    /// The batch that is about to be cut tells of this crossing. The view is the session's with that batch.
    case budgetCrossed(BudgetCrossing, SessionKey, SessionView)
    /// A batch is about to be cut: what the disk has not taken goes with it.
    case batchCut
    /// These pushes are on disk as they were planned.
    case committed([PushIntent])
    /// Nothing of this is on disk.
    case commitFailed(LostPlan)
    case timerFired(PlannerTimer)
    case pushAnswered(PushID, PushOutcome)
    /// It was not sent: an app has told this one of its addresses in another workspace since.
    case addressMoved(PushID, PushAddress)
    /// What stood in the way of pushes may be gone: how they are sent was set up again.
    case pushWayChanged
    /// Somebody holds the code that this push carried, and decides with it.
    case codePresented(PushID, Decision.Verdict, CommandID, PeerID)
    /// What was ordered with `decide` has been decided, and waits for the disk.
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

/// What the planner had staged in batches that the disk did not take.
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
