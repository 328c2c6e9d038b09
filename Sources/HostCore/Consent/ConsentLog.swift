package import RelayProtocol

/// Log entries of a host's consent, for an operator.
package enum ConsentLog: Sendable, Equatable {
    /// A decision was refused, because no trusted device has signed it for what was shown.
    case decisionRefused(SessionID, ApprovalID, CommandID, reason: String)
    /// A command was refused, because no trusted device has signed it.
    case steeringRefused(SessionID, SteeringName, reason: String)
    /// A device became trusted, by joining or by another device. Both screens show the code.
    case trusted(name: String, code: String)
    case distrusted(name: String, code: String)
    /// A device did not become trusted, because that could not be written to disk.
    case notTrusted(SpoolError)
    /// A device asks for a passkey, which a person at this machine has to accept: `heliograph host passkey`.
    case passkeyAsked(device: String, code: String)
    case passkeyTaken(device: String, code: String)
    case letterRefused(ClientID, reason: String)
}
