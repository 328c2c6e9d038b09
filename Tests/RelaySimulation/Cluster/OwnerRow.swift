import RelayProtocol

/// The owner of a workspace, as stored in the database.
struct OwnerRow: Equatable {
    var generation: Int64 = 0
    /// The owner; nil for none.
    var holder: String?
    /// Nil if it never had an owner.
    var epoch: Epoch?
    /// The timeline that the epoch belongs to.
    var bornOn = 0
}
