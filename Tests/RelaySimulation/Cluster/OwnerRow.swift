import RelayProtocol

/// The owner of a workspace, as the database has it.
struct OwnerRow: Equatable {
    var generation: Int64 = 0
    /// Nil: none.
    var holder: String?
    /// Nil: it never had an owner.
    var epoch: Epoch?
    /// The timeline that the epoch belongs to.
    var bornOn = 0
}
