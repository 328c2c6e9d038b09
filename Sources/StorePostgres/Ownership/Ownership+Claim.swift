internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol

extension Ownership {
    /// Rows of `owners` that a process owns, and the generations under which it commits.
    struct Claim: Sendable {
        struct Row: Sendable {
            var generation: Int64
            let epoch: Epoch
        }

        let scope: LogScope
        /// The rows by their scopes in `owners`. For a relay that is alone: the row for data of no workspace, and that of each
        /// workspace that existed at the claim, or was committed to since.
        private(set) var rows: [String: Row]
        /// The database's identity and timeline; see `Ownership.born`.
        let bornOn: String
        /// A time before the lease was last renewed.
        let renewed: ContinuousClock.Instant
        let epoch: Epoch

        /// Nil if the scope's own row is missing, which should always exist.
        init?(_ scope: LogScope, _ rows: [String: Row], bornOn: String, renewed: ContinuousClock.Instant) {
            guard let own = rows[scope.row] else { return nil }
            (self.scope, self.rows, self.bornOn, self.renewed) = (scope, rows, bornOn, renewed)
            epoch = own.epoch
        }

        /// Decodes rows with `scope`, `generation` and `epoch`.
        static func rows(_ rows: PostgresRows) throws -> [String: Row] {
            try rows.reduce(into: [:]) { claimed, row in
                claimed[row.text(0)] = Row(generation: row.integer(1), epoch: try Stored.identifier(row.text(2)))
            }
        }

        mutating func add(_ new: [String: Row]) { rows.merge(new) { _, new in new } }

        func owns(_ workspace: WorkspaceID) -> Bool { rows[workspace.rawValue] != nil }

        var epochs: [WorkspaceID: Epoch] {
            rows.reduce(into: [:]) { epochs, row in
                if let workspace = WorkspaceID(row.key) { epochs[workspace] = row.value.epoch }
            }
        }

        var generations: [String: Int64] { rows.mapValues(\.generation) }

        /// The first statement of a transaction, which fails if another process owns one of these rows. All are locked in one order
        /// by every committer.
        func fence(for workspaces: Set<WorkspaceID>, andWhole: Bool) -> PostgresStatement {
            var fenced: [String: Int64] = [:]
            // A workspace without a row does not exist, and commits to it are refused.
            for workspace in workspaces { fenced[workspace.rawValue] = rows[workspace.rawValue]?.generation }
            if andWhole || fenced.isEmpty { fenced[scope.row] = rows[scope.row]?.generation }
            let (scopes, generations) = (Array(fenced.keys), Array(fenced.values))
            if scopes.count == 1 {
                return PostgresStatement("SELECT fence($1::text, $2::bigint)", .text(scopes[0]), .bigint(generations[0]))
            }
            return PostgresStatement("SELECT fence($1::text[], $2::bigint[])", .texts(scopes), .bigints(generations))
        }
    }
}
