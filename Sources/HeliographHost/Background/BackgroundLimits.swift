/// Limits of programs in the background, each with its reason.
struct BackgroundLimits: Sendable {
    /// A program that ended is started again after this; twice as long each time, if it does not live.
    var restartFirst = Duration.seconds(1)
    /// Another program may hold the port for long, and nobody should have to start ours by hand afterwards.
    var restartMax = Duration.seconds(30)
    /// One that ran for so long had started well.
    var livedAfter = Duration.seconds(10)
    /// To commit what it has; systemd's units wait as long.
    var stopWithin = Duration.seconds(30)
    /// The supervisor's own start, on a machine that is busy.
    var startWithin = Duration.seconds(10)
    /// A log of a program that complains each second for a day. The one before it is kept, too.
    var logBytesMax = 8 << 20
    var logCheck = Duration.seconds(60)
    /// Of a log, in bytes: its last line.
    var lastWordsMax = 4 << 10
    /// For `up` or `down` behind another: as long as the slowest takes, with a history that is brought into a new form.
    var commandWithin = Duration.seconds(450)

    /// For `up` and `down`, which wait for one thing after the other.
    static let lookEvery = Duration.milliseconds(50)
}
