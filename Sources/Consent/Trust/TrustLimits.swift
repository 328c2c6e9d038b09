/// The bounds of a host's trust desk.
package struct TrustLimits: Sendable {
    /// Secrets that are valid at one time: one at the terminal, those of first devices, and a person who tried again.
    package var secretsMax = 8
    /// Time for which a secret still answers the join that used it: the answer may have been lost on its way.
    package var answersAgainFor = Duration.seconds(60)
    /// Refusals and rolls in one minute: each costs a signature, and anybody in the workspace can send a letter. Beyond them letters stay unanswered.
    package var refusalsPerMinuteMax = 60

    package init() {}
}
