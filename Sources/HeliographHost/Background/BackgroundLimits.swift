/// Limits of programs in the background, each with its reason.
struct BackgroundLimits: Sendable {
    /// Time until a program that ended is started again; doubled each time it ends soon.
    var restartFirst = Duration.seconds(1)
    /// Longest such time: another program may hold the port for long, and nobody should have to start ours by hand afterwards.
    var restartMax = Duration.seconds(30)
    /// Time after which a program counts as started well.
    var livedAfter = Duration.seconds(10)
    /// Time for a program to stop, in which it commits its data; systemd's units wait as long.
    var stopWithin = Duration.seconds(30)
    /// Time for the supervisor's own start, on a busy machine.
    var startWithin = Duration.seconds(10)
    /// Bytes of a log: a program that complains each second for a day. The previous log is kept too.
    var logBytesMax = 8 << 20
    var logCheck = Duration.seconds(60)
    /// Bytes of a log's last line.
    var lastWordsMax = 4 << 10
    /// Time for which an `up` or `down` waits for another: as long as the slowest takes, with a history that is converted to a new
    /// form.
    var commandWithin = Duration.seconds(450)

    /// Interval at which `up` and `down` look for what they wait for.
    static let lookEvery = Duration.milliseconds(50)
}
