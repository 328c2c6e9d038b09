internal import StorePostgres

/// Failures that an acknowledged commit survives in this database.
struct DatabaseDurability: Equatable, Sendable {
    /// On the disk of another machine, too.
    let isSynchronous: Bool
    /// Nil if this relay's role may not see it.
    let standbysInSync: Int?
    let standbysNeeded: Int
}

extension DatabaseDurability {
    init(_ found: Durability) {
        self.init(
            isSynchronous: found.isSynchronous, standbysInSync: found.standbysInSync, standbysNeeded: found.standbysNeeded)
    }
}
