/// Status of a session, in the relay's words.
public enum SessionStatus: String, Sendable, Hashable, CaseIterable {
    case starting, running, waitingApproval, waitingAnswer, idle, completed, failed
    /// The host has been away for so long that the content may be wrong.
    case stale
    /// A status from a later relay, unknown to this app.
    case unknown

    /// Nothing more will happen.
    public var isFinal: Bool { self == .completed || self == .failed }
}

/// Decodes unknown statuses as `unknown`: apps outlive relays, and a new status must not make the whole content undecodable.
extension SessionStatus: Codable {
    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
