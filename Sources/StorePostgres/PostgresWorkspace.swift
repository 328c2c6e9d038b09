internal import HeliographPostgreSQL
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// A workspace as the node has it that owns it.
package final class PostgresWorkspace: Sendable {
    package let workspace: WorkspaceID
    /// The workspace's number, constant: whatever has to differ between workspaces may be counted from it.
    package let number: Int32
    /// Of this workspace alone, in its own epoch. What a batch says of another is a conflict, and what is read of another is not there.
    package let log: PostgresSessionLog
    package let upkeep: PostgresUpkeep
    private let database: PostgresDatabase
    private let ownership: Ownership
    /// The claim with which ownership began.
    private let claim: Ownership.Claim
    private let loss = Loss()

    /// Nil for a claim that is of something else.
    init?(_ database: PostgresDatabase, _ ownership: Ownership, _ claim: Ownership.Claim) {
        guard case .workspace(let workspace, let number) = claim.scope else { return nil }
        (self.workspace, self.number) = (workspace, number)
        (self.database, self.ownership, self.claim) = (database, ownership, claim)
        let (damage, loss) = (DamageRegister(), loss)
        let writer = LogWriter(database, ownership, claim, damage) { loss.happened($0) }
        log = PostgresSessionLog(
            database, claim.scope, epoch: claim.epoch, ofWorkspaces: claim.epochs, writer: writer, damage: damage)
        upkeep = PostgresUpkeep(database, claim.scope, damage)
    }

    /// Called once, from any thread, when a commit was refused because another owns the workspace; at once if that has happened already.
    /// Does not concern the node's other workspaces.
    package func whenLost(_ body: @escaping @Sendable (LogError) -> Void) { loss.whenLost(body) }

    /// Waits for a commit in flight, and sets the workspace free. Nothing can be committed to it afterwards, even if this throws: then it
    /// may still be this node's, until it is handed over once more, claimed again, or the node closed.
    package func handOver() throws(LogError) {
        close()
        do { try ownership.handOver(claim, on: database.connect(for: "claim")) } catch { throw LogError(error) }
    }

    /// Waits for a commit that is under way; nothing of it can be committed afterwards.
    package func close() {
        upkeep.stopChecking()
        log.close()
    }
}
