/// Status of a session, in the relay's words.
public enum SessionStatus: String, Sendable, Hashable, CaseIterable {
    case starting, running, waitingApproval, waitingAnswer, idle, completed, failed
    /// The host has been away for so long that the content may be wrong.
    case stale
    /// A word that this app is too old for.
    case unknown

    /// Nothing more will happen.
    public var isFinal: Bool { self == .completed || self == .failed }
}

/// Apps outlive relays: a word that came up later must not cost the whole card.
extension SessionStatus: Codable {
    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
