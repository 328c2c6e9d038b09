/// One report to the relay.
public enum RelayReport: Codable, Hashable, Sendable {
    case device(DeviceRegistration)
    case card(CardReport)
    /// Makes the relay forget the device and all that it registered.
    case forget
}

/// Sends reports and decisions to the relay. Every call is idempotent.
public protocol RelayReporting: Sendable {
    /// Returns when the relay has accepted it. Throws `unreachable`, `busy`, `unauthorised`, `notFound`, `refused` or `badAnswer`.
    func report(_ report: RelayReport, of device: String) async throws(LiveActivityError)

    /// `code` is from an alert, `signature` from `DecisionSigning`. Throws the errors of `report`, and `badCode`.
    func decide(_ verdict: Verdict, code: String, signature: String?) async throws(LiveActivityError) -> DecisionReply
}

/// The token that the app got when it was paired.
public protocol RelayCredentials: Sendable {
    /// Throws `unauthorised` if there is none, `keychain` if it cannot be read now.
    func token() throws(LiveActivityError) -> String
}
