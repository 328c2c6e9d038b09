import RelayModel
import RelayProtocol

/// The cost that one event adds to its session.
struct Spending {
    let key: SessionKey
    /// Time of the usage as the host reports it, in milliseconds since 1970.
    let at: Int64
    let model: String?
    let sum: CostSum
}
