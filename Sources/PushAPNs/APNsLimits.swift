/// The bounds of the client, each with its reason.
package struct APNsLimits: Equatable, Sendable {
    /// Requests of one connection that wait or are in flight: a minute's worth at a rate that Apple accepts.
    package var requestsMax = 20_000
    /// Streams at once, even if the server allows more. Apple's 1,000 covers the responses of one round trip.
    package var streamsMax = 1_000
    /// Time from a request's first byte to its response. Apple responds in well under a second.
    package var answerDeadline: Duration = .seconds(15)
    /// Least time of an attempt, even if its request expires sooner: cut short, its outcome would be unknown for nothing.
    package var answerDeadlineMin: Duration = .seconds(1)
    /// Attempts for one request; with the back-off below that is about eight minutes.
    package var attemptsMax = 8
    /// The wait before the second attempt; doubled for each one after it.
    package var backoffBase: Duration = .seconds(1)
    /// Longest wait. Apple asks for 15 minutes during an outage, but an approval does not live that long.
    package var backoffMax: Duration = .seconds(240)
    /// Wait after a stream that was refused unprocessed: it only has to outlast a change of the stream limit.
    package var refusedBackoffBase: Duration = .milliseconds(50)
    /// Wait before connecting again to a host that could not be reached; doubled each time.
    package var connectBackoffBase: Duration = .milliseconds(500)
    package var connectBackoffMax: Duration = .seconds(60)
    /// Silence after which a connection is pinged before it is used.
    package var idleMax: Duration = .seconds(60)
    /// Time for the answer to that ping. NATs drop connections silently.
    package var pingDeadline: Duration = .seconds(5)
    /// Consecutive refusals of our credentials after which nothing more is sent: Apple blocks clients that continue.
    package var credentialRefusalsMax = 3
    /// The first pause of the breaker; doubled each time it opens again.
    package var breakerBase: Duration = .seconds(60)
    package var breakerMax: Duration = .seconds(1_800)
    /// Consecutive server errors after which the server gets a pause.
    package var serverErrorsMax = 5
    /// Number of tokens kept whose environment was found by trying.
    package var environmentsMax = 10_000

    package init() {}
}
