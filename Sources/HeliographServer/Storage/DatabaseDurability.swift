internal import StorePostgres

/// What a commit survives that the database has acknowledged.
struct DatabaseDurability: Equatable, Sendable {
    /// It is on the disk of another machine, too.
    let isSynchronous: Bool
    /// Nil where this relay's role may not see it.
    let standbysInSync: Int?
    let standbysNeeded: Int
}

extension DatabaseDurability {
    init(_ found: Durability) {
        self.init(
            isSynchronous: found.isSynchronous, standbysInSync: found.standbysInSync, standbysNeeded: found.standbysNeeded)
    }
}
