import RelayModel
import RelayProtocol

/// What one event of a session adds to its cost.
struct Spending {
    let key: SessionKey
    /// When it was used, as the host says, in milliseconds since 1970.
    let at: Int64
    let model: String?
    let sum: CostSum
}
