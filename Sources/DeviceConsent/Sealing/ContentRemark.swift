/// A remark that is printed before an event of a host that seals.
package enum ContentRemark: Equatable {
    case missing(Int64)
    /// The text is not sealed: it is older than the host's sealing, or so the relay claims.
    case unsealed

    package var words: String {
        switch self {
        case .missing(1): "1 event is missing here: the relay did not bring what the host sealed"
        case .missing(let count): "\(count) events are missing here: the relay did not bring what the host sealed"
        case .unsealed: "what follows is not sealed: the relay could have written this"
        }
    }
}
