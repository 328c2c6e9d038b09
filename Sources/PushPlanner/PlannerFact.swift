package import RelayModel
package import RelayProtocol

/// The planner's input: facts, in past tense.
package enum PlannerFact {
    /// The relay has started. `holders` are the clients with a token; nil if all have one.
    case started(holders: Set<ClientKey>?)
    /// The wall clock was set; see `PushPlanner.isBehindClock(at:)`.
    case clockWasSet
    case clientAsked(ClientRequest)
    /// A client's connection has ended.
    case clientLeft(PeerID)
    /// Every client that holds a token.
    case clientsListed(Set<ClientKey>)
    /// The workspace was removed.
    case workspaceRemoved(WorkspaceID)
    /// Daily push limits of all workspaces that have one of their own.
    case limitsListed([WorkspaceID: Int])
    /// The stored state of these sessions, or the set of connected clients, has changed.
    case sessionsChanged([SessionKey])
    /// Retention removed the session.
    case sessionRemoved(SessionKey)
    /// The batch that is about to be written reports this crossing. The view is the session's with that batch.
    case budgetCrossed(BudgetCrossing, SessionKey, SessionView)
    /// A batch is about to be written. Records that the disk refused before are staged with it.
    case batchCut
    /// Planned pushes that are on disk now.
    case committed([PushIntent])
    /// None of this is on disk.
    case commitFailed(LostPlan)
    case timerFired(PlannerTimer)
    case pushAnswered(PushID, PushOutcome)
    /// A push was not sent, because an app has since reported one of its addresses in another workspace.
    case addressMoved(PushID, PushAddress)
    /// Sending was set up again: an obstacle to pushes may be gone.
    case pushWayChanged
    /// A client presents the code of this push, with its decision.
    case codePresented(PushID, Decision.Verdict, CommandID, PeerID, signature: String? = nil)
    /// An approval ordered with `decide` has been decided, and waits to be written to disk.
    case codeDecided(PushID)
}

/// A command about pushes.
package struct ClientRequest {
    package let command: ClientCommand
    package let id: CommandID
    package let peer: PeerID
    package let client: ClientIdentity
    /// True if the log certainly has, and had, no session of the name in the command.
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

/// The planner's part of batches that the disk refused.
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
