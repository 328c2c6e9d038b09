/// Limits on the amount and the rate of running tools' output.
package struct ToolOutputLimits: Sendable {
    /// As much as a phone shows.
    var shownBytes = 2 << 10
    /// Looked through for secrets, and kept twice over at most: a key of many lines that ends in what is shown begins here.
    var keptBytes = 16 << 10
    /// From the first that a call prints: by then its start has reached those who look at the session.
    var firstAfter = Duration.milliseconds(300)
    /// Between two tellings of one call: nobody reads faster.
    var interval = Duration.seconds(1)
    /// After so many it is told less often: two minutes of it have been seen.
    var oftenMax = 120
    var longInterval = Duration.seconds(10)
    /// Said again for those who come later; not before `longInterval`, which this would shorten.
    var repeatAfter = Duration.seconds(10)
    /// Told so often, also again: an hour of it and more. Only what is new comes after that.
    var toldMax = 600
    /// Between any two tellings of one agent: hooks wait for the same thread, and 32 KiB are looked through for each.
    var spacing = Duration.milliseconds(100)
    /// Calls of one session that run at a time; beyond it the oldest is no longer followed.
    var callsPerSessionMax = 16
    /// Likewise in all sessions of an agent.
    var callsMax = 64

    package init() {}
}
