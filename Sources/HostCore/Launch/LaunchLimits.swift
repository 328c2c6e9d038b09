/// The bounds of what clients start, each with its reason.
package struct LaunchLimits: Sendable {
    /// Sessions that were started so and still run: each is an agent with its model's bill, and some hundred MB.
    package var runningMax = 8
    /// Under way at a time: each reads a disk or starts a program.
    package var pendingMax = 4
    /// From the order until the session is there, and has taken its first prompt: a cold agent with a long past takes some seconds. Less
    /// than the steering desk waits, so that what is known is said.
    package var showWithin = Duration.seconds(100)
    /// Interval of the check whether processes that an earlier life of this daemon started still run.
    package var checkEvery = Duration.seconds(30)

    package init() {}
}
