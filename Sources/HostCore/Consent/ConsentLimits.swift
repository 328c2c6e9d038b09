/// The bounds of a host's consent, each with its reason.
package struct ConsentLimits: Sendable {
    /// A person walks to the device, and scans.
    package var inviteFor = Duration.seconds(600)
    /// From the secret to the request that waits for its device: a command that was ended in between must not leave a secret behind.
    package var callWithin = Duration.seconds(10)

    /// Asks of devices that are told again when others are trusted: one of each that a host may trust.
    package var asksMax = 64
    /// Of one client, which may be a browser with several tabs; of more the oldest is told no more.
    package var asksOfClientMax = 4

    package init() {}
}
