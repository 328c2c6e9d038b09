/// The bounds of the client, each with its reason.
package struct WebPushLimits: Equatable, Sendable {
    /// Requests for one push service that wait or are on their way; each holds up to 2,600 bytes of text.
    package var requestsMax = 2_000
    /// Requests that wait for one phone: as many as its planner has under way, twice. Those with a topic replace each other.
    package var endpointRequestsMax = 128
    /// Requests to one phone that are on their way, each of a topic of its own: a burst of 200 approvals is through in 13 round trips.
    package var endpointFlightsMax = 16
    /// Push services at a time: Microsoft's has a name for each region, all others have one.
    package var originsMax = 64
    /// Endpoints of one service about which something is remembered: that it asked to wait, or that it did not know them.
    package var endpointsMax = 5_000
    /// Whatever the server allows; Apple takes a hundred that are not answered.
    package var streamsMax = 100
    /// From a request's first byte to its answer.
    package var answerDeadline: Duration = .seconds(10)
    /// An attempt gets that long even where patience ends sooner: cut short, its outcome would be unknown for nothing.
    package var answerDeadlineMin: Duration = .seconds(1)
    package var attemptsMax = 8
    /// The wait before the second attempt; doubled for each one after it.
    package var backoffBase: Duration = .seconds(1)
    package var backoffMax: Duration = .seconds(240)
    /// Before calling again a host that could not be reached; doubled each time.
    package var connectBackoffBase: Duration = .milliseconds(500)
    package var connectBackoffMax: Duration = .seconds(60)
    /// A connection without requests is closed after this: NATs forget connections without a word, and a new one costs little.
    package var idleMax: Duration = .seconds(120)
    /// After a refusal for sending too fast that does not say how long to wait: what Google asks for.
    package var slowDownWait: Duration = .seconds(60)
    /// Google bars a site for at most that long.
    package var retryAfterMax: Duration = .seconds(14 * 24 * 60 * 60)
    /// Refusals for sending too fast, of different phones and in a row, before the whole service is left alone.
    package var slowDownsMax = 3
    /// Errors of the server in a row before it is left alone for a while.
    package var serverErrorsMax = 5
    /// Refusals of our token in a row before nothing more is sent for a while.
    package var credentialRefusalsMax = 3
    /// The first pause after that; doubled each time.
    package var breakerBase: Duration = .seconds(60)
    package var breakerMax: Duration = .seconds(1_800)

    package init() {}
}
