import RelayProtocol

/// The owner of a workspace, as the database has it.
struct OwnerRow: Equatable {
    var generation: Int64 = 0
    /// Nil: nobody does.
    var holder: String?
    /// Nil: nobody ever did.
    var epoch: Epoch?
    /// The timeline that the epoch belongs to.
    var bornOn = 0
}
