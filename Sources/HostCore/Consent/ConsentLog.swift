package import RelayProtocol

/// Log entries of a host's consent, for an operator.
package enum ConsentLog: Sendable, Equatable {
    /// A decision that no trusted device has signed for what was shown.
    case decisionRefused(SessionID, ApprovalID, CommandID, reason: String)
    /// A command that no trusted device has signed.
    case steeringRefused(SessionID, SteeringName, reason: String)
    /// A device joined, or was brought by another: both screens show the code.
    case trusted(name: String, code: String)
    case distrusted(name: String, code: String)
    /// A device is not trusted, because the disk does not take that it is.
    case notTrusted(SpoolError)
    /// A device asks for a passkey, which a person here has to take: `heliograph host passkey`.
    case passkeyAsked(device: String, code: String)
    case passkeyTaken(device: String, code: String)
    case letterRefused(ClientID, reason: String)
}
