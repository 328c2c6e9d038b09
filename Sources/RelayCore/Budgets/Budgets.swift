import RelayModel
import RelayProtocol

/// The budgets of every workspace.
struct Budgets {
    /// As on disk; only these are ever shown.
    var books: [WorkspaceID: BudgetBook] = [:]
    /// With what the batch under way adds.
    var staged: [WorkspaceID: BudgetBook] = [:]
    /// By the relay's clock when it was last looked at.
    var today = UTCDay(number: 0)
    /// What each connection of a host was told of its sessions that are held.
    var holdsTold: [PeerID: Holds] = [:]
    /// Records that do not decode, by name.
    var damaged: [String] = []

    init() {}

    init(restoring records: [PushRecord]) {
        for record in records where record.kind == .budget {
            guard let bytes = record.bytes else { continue }
            // One that cannot be read is of a newer relay: it stays where it is, for that one.
            do throws(WireError) {
                try books[record.workspace, default: BudgetBook()].restore(bytes)
            } catch {
                damaged.append("budget \(record.name)")
            }
        }
        staged = books
    }
}

/// A budget that is set with the next batch, and the command that is answered when it is on disk.
struct BudgetOrder {
    let peer: PeerID
    let command: CommandID
    let workspace: WorkspaceID
    let budget: Budget

    struct Place: Hashable {
        let workspace: WorkspaceID
        let scope: Budget.Scope
    }

    var place: Place { Place(workspace: workspace, scope: budget.scope) }
}
