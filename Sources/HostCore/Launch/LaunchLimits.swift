/// The bounds of what clients start, each with its reason.
package struct LaunchLimits: Sendable {
    /// Sessions started by clients that still run: each is an agent with its model's bill, and some hundred MB.
    package var runningMax = 8
    /// Launches under way at a time: each reads a disk or starts a program.
    package var pendingMax = 4
    /// Time from the order until the session exists and has taken its first prompt: an agent that starts cold with a long past
    /// takes some seconds. It is less than the steering desk's wait, so that the known outcome is reported.
    package var showWithin = Duration.seconds(100)
    /// Interval of the check whether processes that an earlier life of this daemon started still run.
    package var checkEvery = Duration.seconds(30)

    package init() {}
}
