import RelayCore

/// A claim, a commit, or another transaction on the row of a workspace.
final class DatabaseTransaction {
    enum Kind {
        /// `number` is the batch's own, for a node that looks for it.
        case commit(LogBatch, number: Int, generation: Int64)
        case claim(over: Int64)
        /// A new generation for the same owner.
        case claimAnew
        /// Its owner releases the workspace.
        case handOver(generation: Int64)
        /// An operator takes it from its holder.
        case fence
        /// Part of the rows of a removed workspace is deleted. No generation is compared, as the workspace has no owner.
        case removal
    }

    enum Outcome {
        case committed
        case fenced
        /// The commit does not continue the stored log, or another claim was first.
        case refused
        case claimed(OwnerRow)
        /// The workspace has no owner now.
        case freed
        /// Part of the rows is deleted, or the last of them.
        case removed(isAll: Bool)
    }

    enum Phase {
        /// Waits for the row. Becomes `running` or `over`.
        case waiting
        /// Holds the row. Becomes `written` or `over`.
        case running
        /// In the database's log of changes, but invisible to others until the standby has it. Becomes `over`.
        case written(DatabaseChanges.Change, place: Int)
        case over
    }

    let kind: Kind
    let connection: DatabaseConnection
    let reply: (Outcome) -> Void
    var phase = Phase.waiting

    init(_ kind: Kind, on connection: DatabaseConnection, reply: @escaping (Outcome) -> Void) {
        self.kind = kind
        self.connection = connection
        self.reply = reply
    }

    var isCommit: Bool { if case .commit = kind { true } else { false } }
    /// True if it does not wait for the standby: a standby without it takes an ended node for the owner, or claims again.
    var isLocal: Bool { if case .handOver = kind { true } else { false } }
    var isRunning: Bool { if case .running = phase { true } else { false } }
    /// True if it holds the row's lock.
    var isHolding: Bool {
        switch phase {
        case .running, .written: true
        case .waiting, .over: false
        }
    }
}
