/// The bounds of steering, each with its reason.
package struct SteeringLimits: Sendable {
    /// Prompts that wait for one session: what a person still has in mind.
    package var queuedMax = 16
    /// From giving a prompt to the agent's evidence: an agent that loads a long session takes some seconds.
    package var evidenceWithin = Duration.seconds(30)
    /// From giving a start to the session that has taken its first prompt; see `LaunchLimits.showWithin`.
    package var launchedWithin = Duration.seconds(120)
    /// A prompt that waited longer was written for another situation.
    package var queuedFor = Duration.seconds(12 * 60 * 60)
    /// Names of commands that came before. The relay sends none twice: this is for one that does.
    package var knownMax = 1_024
    /// Time for which they are known: less than the day after which the relay lets a client use a name again.
    package var knownFor = Duration.seconds(23 * 60 * 60)

    /// A program's request for the next command is open for so long; then it asks again, which shows that it is there.
    var fetchFor = Duration.seconds(300)
    /// Between two of its requests. Well within `evidenceWithin`: commands that were not fetched are known not to have been given.
    var fetchWithin = Duration.seconds(10)
    /// Commands that wait to be fetched, of a program between two requests.
    var unfetchedMax = 16
    /// Commands fetched without a reported end; a program that never reports has long been given up on for the oldest.
    var handedMax = 64

    package init() {}
}
