/// The bounds of the client, each with its reason.
package struct WebPushLimits: Equatable, Sendable {
    /// Requests for one push service that wait or are in flight; each holds up to 2,600 bytes of text.
    package var requestsMax = 2_000
    /// Requests that wait for one phone: twice as many as its planner may have under way. Those with a topic replace each other.
    package var endpointRequestsMax = 128
    /// Requests to one phone in flight, each with its own topic: a burst of 200 approvals takes 13 round trips.
    package var endpointFlightsMax = 16
    /// Push services at once: Microsoft's has a host for each region, all others have one.
    package var originsMax = 64
    /// Endpoints of one service whose state is remembered: that they asked to wait, or were unknown.
    package var endpointsMax = 5_000
    /// Streams at once, even if the server allows more; Apple accepts a hundred unanswered ones.
    package var streamsMax = 100
    /// Time from a request's first byte to its answer.
    package var answerDeadline: Duration = .seconds(10)
    /// Least time of an attempt, even if its request expires sooner: cut short, its outcome would be unknown for nothing.
    package var answerDeadlineMin: Duration = .seconds(1)
    package var attemptsMax = 8
    /// The wait before the second attempt; doubled for each one after it.
    package var backoffBase: Duration = .seconds(1)
    package var backoffMax: Duration = .seconds(240)
    /// Wait before connecting again to a host that could not be reached; doubled each time.
    package var connectBackoffBase: Duration = .milliseconds(500)
    package var connectBackoffMax: Duration = .seconds(60)
    /// Time after which a connection without requests is closed: NATs drop connections silently, and a new one costs little.
    package var idleMax: Duration = .seconds(120)
    /// Wait after a rate limit without a stated time: what Google asks for.
    package var slowDownWait: Duration = .seconds(60)
    /// Longest stated wait that is followed: Google blocks a site for at most that long.
    package var retryAfterMax: Duration = .seconds(14 * 24 * 60 * 60)
    /// Consecutive rate limits, of different phones, after which the whole service gets a pause.
    package var slowDownsMax = 3
    /// Consecutive server errors after which the server gets a pause.
    package var serverErrorsMax = 5
    /// Consecutive refusals of our token after which nothing is sent for a while.
    package var credentialRefusalsMax = 3
    /// The first pause after that; doubled each time.
    package var breakerBase: Duration = .seconds(60)
    package var breakerMax: Duration = .seconds(1_800)

    package init() {}
}
