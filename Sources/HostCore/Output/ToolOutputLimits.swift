/// Limits on the amount and the rate of running tools' output.
package struct ToolOutputLimits: Sendable {
    /// Bytes of output that are sent: a phone shows no more.
    var shownBytes = 2 << 10
    /// Bytes that are searched for secrets; up to twice as many are kept. Enough to hold the start of a long key that ends in the
    /// shown part.
    var keptBytes = 16 << 10
    /// Delay from a call's first output to its update: by then the call's start has reached the people who look at the session.
    var firstAfter = Duration.milliseconds(300)
    /// Time between two updates of one call: nobody reads faster.
    var interval = Duration.seconds(1)
    /// Updates after which `longInterval` applies: two minutes of updates.
    var oftenMax = 120
    var longInterval = Duration.seconds(10)
    /// Time after which an unchanged output is repeated, for clients that come later; at least `longInterval`, which it would
    /// shorten.
    var repeatAfter = Duration.seconds(10)
    /// Updates of one call, repeats included: more than an hour of them. After that only new output is sent.
    var toldMax = 600
    /// Time between any two updates of one agent: hooks need the same thread, and each update searches 32 KiB.
    var spacing = Duration.milliseconds(100)
    /// Calls of one session that run at a time; beyond it the oldest is no longer followed.
    var callsPerSessionMax = 16
    /// Calls with output in all sessions of an agent together.
    var callsMax = 64

    package init() {}
}
