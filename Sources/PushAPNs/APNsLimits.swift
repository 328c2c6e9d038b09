/// The bounds of the client, each with its reason.
package struct APNsLimits: Equatable, Sendable {
    /// Requests of one connection that wait or are on their way: a minute's worth at a rate that Apple takes.
    package var requestsMax = 20_000
    /// Whatever the server allows; Apple's 1,000 is more than the answers of one round trip.
    package var streamsMax = 1_000
    /// From a request's first byte to its answer. Apple answers in well under a second.
    package var answerDeadline: Duration = .seconds(15)
    /// An attempt gets that long even where patience ends sooner: cut short, its outcome would be unknown for nothing.
    package var answerDeadlineMin: Duration = .seconds(1)
    /// A request is sent at most so often; with the back-off below that is about eight minutes.
    package var attemptsMax = 8
    /// The wait before the second attempt; doubled for each one after it.
    package var backoffBase: Duration = .seconds(1)
    /// Apple asks for 15 minutes during an outage, but an approval does not live so long.
    package var backoffMax: Duration = .seconds(240)
    /// After a stream that was refused unseen: it only has to miss a change of the stream limit.
    package var refusedBackoffBase: Duration = .milliseconds(50)
    /// Before calling again a host that could not be reached; doubled each time.
    package var connectBackoffBase: Duration = .milliseconds(500)
    package var connectBackoffMax: Duration = .seconds(60)
    /// A connection that was silent for longer is asked whether it still lives before anything is entrusted to it.
    package var idleMax: Duration = .seconds(60)
    /// For the answer to that. NATs forget connections without a word.
    package var pingDeadline: Duration = .seconds(5)
    /// Refusals of our credentials in a row before nothing more is sent: Apple blocks who goes on.
    package var credentialRefusalsMax = 3
    /// The first pause of the breaker; doubled each time it opens again.
    package var breakerBase: Duration = .seconds(60)
    package var breakerMax: Duration = .seconds(1_800)
    /// Errors of the server in a row before it is left alone for a while.
    package var serverErrorsMax = 5
    /// Tokens whose environment was found out by trying.
    package var environmentsMax = 10_000

    package init() {}
}
