/// One thing that the relay has to know.
public enum RelayReport: Codable, Hashable, Sendable {
    case device(DeviceRegistration)
    case card(CardReport)
    /// The device and all that it registered.
    case forget
}

/// The way to the relay. Every call can be made again: it has one effect.
public protocol RelayReporting: Sendable {
    /// Returns when the relay has it. Throws `unreachable`, `busy`, `unauthorised`, `notFound`, `refused` or `badAnswer`.
    func report(_ report: RelayReport, of device: String) async throws(LiveActivityError)

    /// `code` is from an alert, `signature` from `DecisionSigning`. Throws as above, and `badCode`.
    func decide(_ verdict: Verdict, code: String, signature: String?) async throws(LiveActivityError) -> DecisionReply
}

/// The token that pairing gave to the app.
public protocol RelayCredentials: Sendable {
    /// Throws `unauthorised` if there is none, `keychain` if it cannot be read now.
    func token() throws(LiveActivityError) -> String
}
