/// The bounds of steering, each with its reason.
package struct SteeringLimits: Sendable {
    /// Prompts that wait for one session: as many as a person remembers.
    package var queuedMax = 16
    /// Time from giving a prompt to the agent's evidence: an agent that loads a long session takes some seconds.
    package var evidenceWithin = Duration.seconds(30)
    /// Time from giving a start until its session has taken its first prompt; see `LaunchLimits.showWithin`.
    package var launchedWithin = Duration.seconds(120)
    /// Time for which a prompt may wait: an older one was written for another situation.
    package var queuedFor = Duration.seconds(12 * 60 * 60)
    /// Names of past commands that are remembered, in case a relay sends one twice, as it should not.
    package var knownMax = 1_024
    /// Time for which commands are remembered: less than the day after which the relay lets a client use a name again.
    package var knownFor = Duration.seconds(23 * 60 * 60)

    /// Time for which a program's request for the next command stays open. Then it asks again, which shows that it still runs.
    var fetchFor = Duration.seconds(300)
    /// Time between two requests of a program. Well within `evidenceWithin`: commands that were not fetched are known not to have
    /// been given.
    var fetchWithin = Duration.seconds(10)
    /// Commands that wait for a program that is between two requests.
    var unfetchedMax = 16
    /// Commands fetched without a reported end; a program that never reports has long been given up on for the oldest.
    var handedMax = 64

    package init() {}
}
