/// Limits on the amount and the rate of running tools' output.
package struct ToolOutputLimits: Sendable {
    /// A phone shows no more.
    var shownBytes = 2 << 10
    /// Looked through for secrets, and kept twice over at most: a key of many lines that ends in what is shown begins here.
    var keptBytes = 16 << 10
    /// Delay from a call's first output: by then its start has reached those who look at the session.
    var firstAfter = Duration.milliseconds(300)
    /// Between two updates of one call: nobody reads faster.
    var interval = Duration.seconds(1)
    /// Updates after which `longInterval` applies: two minutes of them have been seen.
    var oftenMax = 120
    var longInterval = Duration.seconds(10)
    /// Repeated for clients that come later; not before `longInterval`, which this would shorten.
    var repeatAfter = Duration.seconds(10)
    /// Updates of one call, repeats included: an hour of them and more. Only new output is sent after that.
    var toldMax = 600
    /// Between any two updates of one agent: hooks wait for the same thread, and 32 KiB are looked through for each.
    var spacing = Duration.milliseconds(100)
    /// Calls of one session that run at a time; beyond it the oldest is no longer followed.
    var callsPerSessionMax = 16
    /// Calls with output in all sessions of an agent together.
    var callsMax = 64

    package init() {}
}
