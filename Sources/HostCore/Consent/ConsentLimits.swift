/// The bounds of a host's consent, each with its reason.
package struct ConsentLimits: Sendable {
    /// Time in which a device can join: a person walks to it, and scans.
    package var inviteFor = Duration.seconds(600)
    /// Time from the secret to the request that waits for its device: a command that ended in between must not leave a secret
    /// behind.
    package var callWithin = Duration.seconds(10)

    /// Requests for the list of trusted devices that are answered again when it changes: one for each device that a host may trust.
    package var asksMax = 64
    /// Such requests of one client, which may be a browser with several tabs. Beyond this the oldest gets no more answers.
    package var asksOfClientMax = 4

    package init() {}
}
