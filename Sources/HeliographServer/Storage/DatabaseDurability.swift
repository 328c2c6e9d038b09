internal import StorePostgres

/// Failures that an acknowledged commit survives in this database.
struct DatabaseDurability: Equatable, Sendable {
    /// True if commits are on the disk of another machine, too.
    let isSynchronous: Bool
    /// Number of standbys that commits wait for now; nil if this relay's role may not see it.
    let standbysInSync: Int?
    let standbysNeeded: Int
}

extension DatabaseDurability {
    init(_ found: Durability) {
        self.init(
            isSynchronous: found.isSynchronous, standbysInSync: found.standbysInSync, standbysNeeded: found.standbysNeeded)
    }
}
