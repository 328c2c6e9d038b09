/// A push client's advice to the planner after its service has refused a push.
package enum PushAdvice: String, Sendable, CaseIterable {
    /// Remove the token: it is no longer valid.
    case dropToken
    /// Keep the token: the answer is about an older one than is registered.
    case keepToken
    /// Send nothing more to this token until the app reports it again: the service knows it in none of its environments.
    case quarantineToken
    /// The app's name or topic differs from the profile's.
    case markProfile
    case dropChannel
    case enableBroadcast
    case fixRequest
    case fixCredentials
    /// Try later: the address is fine, but the service is unavailable or limits the rate.
    case sendLater
}
