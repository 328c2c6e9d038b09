/// The action left after a push service has refused a push, from its client to the planner.
package enum PushAdvice: String, Sendable, CaseIterable {
    /// Forget the token: it is dead.
    case dropToken
    /// The answer is about an older token than the one that is registered: keep it.
    case keepToken
    /// Send nothing more to this token until the app tells it again: the service knows it nowhere.
    case quarantineToken
    /// The app's name or topic is not what the profile says.
    case markProfile
    case dropChannel
    case enableBroadcast
    case fixRequest
    case fixCredentials
    /// Nothing is wrong with it: the service is in trouble, or has had too much.
    case sendLater
}
