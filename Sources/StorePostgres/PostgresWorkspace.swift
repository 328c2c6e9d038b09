internal import HeliographPostgreSQL
package import RelayCore
package import RelayProtocol
internal import RelayStore

/// A workspace that this node owns.
package final class PostgresWorkspace: Sendable {
    package let workspace: WorkspaceID
    /// The workspace's number, which never changes, and so can be used to derive values that must differ between workspaces.
    package let number: Int32
    /// The log of this workspace only, with its own epoch. A batch for another workspace is a `conflict`, and reads of another
    /// return nothing.
    package let log: PostgresSessionLog
    package let upkeep: PostgresUpkeep
    private let database: PostgresDatabase
    private let ownership: Ownership
    /// The claim with which ownership began.
    private let claim: Ownership.Claim
    private let loss = Loss()

    /// Nil if the claim is not of a workspace.
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

    /// `body` is called once, on any thread, when a commit was refused because another process owns the workspace; at once if that
    /// has happened already. Does not concern the node's other workspaces.
    package func whenLost(_ body: @escaping @Sendable (LogError) -> Void) { loss.whenLost(body) }

    /// Waits for a commit under way, and releases the workspace. Nothing can be committed to it after this, even if it throws: then
    /// the workspace may still be this node's, until it is handed over again, claimed again, or the node closed.
    package func handOver() throws(LogError) {
        close()
        do { try ownership.handOver(claim, on: database.connect(for: "claim")) } catch { throw LogError(error) }
    }

    /// Waits for a commit under way; nothing can be committed after this.
    package func close() {
        upkeep.stopChecking()
        log.close()
    }
}
