internal import RelayProtocol

/// An event in place of one that cannot be trusted.
package enum UnopenedEvent {
    /// A kind that hosts never state.
    package static let kind = "unopened"

    enum Reason {
        case cannotOpen(String)
        case repeated
        case outdated
        case notSealed
        case noKey

        var words: String {
            switch self {
            case .cannotOpen(let why): "an event cannot be opened: \(why)"
            case .repeated: "the relay repeated or reordered events: this one is not shown"
            case .outdated: "an event was sealed with a key that is no longer used: it is not shown"
            case .notSealed: "an event is not sealed, although its host seals: it is not shown"
            case .noKey: "an event is sealed, and this device has no key"
            }
        }
    }

    static func bytes(at time: Int64, _ reason: Reason) -> [UInt8] {
        Event(.unsupported(kind: kind), at: time) { $0.field("problem", reason.words) }.bytes
    }
}
