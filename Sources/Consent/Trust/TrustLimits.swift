/// The bounds of a host's trust desk.
package struct TrustLimits: Sendable {
    /// Secrets that are valid at one time: one at the terminal, those of first devices, and a person who tried again.
    package var secretsMax = 8
    /// Time for which a used secret still answers the same join: the answer may have been lost on its way.
    package var answersAgainFor = Duration.seconds(60)
    /// Refusals in one minute of letters that no trusted device has signed: each costs a signature, and anybody in the workspace can send one.
    /// Beyond them letters stay unanswered.
    package var refusalsPerMinuteMax = 60
    /// Refusals and rolls in one minute for each trusted device: it repeats its letters every five seconds, from several tabs.
    package var answersPerDeviceMax = 60
    /// Devices that one device distrusts by letter in a day: each costs all devices a key, and the host a place in its memory. More than a person
    /// loses at one time.
    package var distrustsPerDayMax = 8

    package init() {}
}
