/// The relay's limits on input, in addition to the engine's limits of a connection and the core's `Quotas`. 0 is no limit. Each is a
/// setting, `limits.` and its name here, and the label of a metric.
package struct ServerLimits: Sendable, Equatable {
    /// WebSockets of one address (of IPv6: one /64), by one token, in one workspace. Nobody takes more than half of all there are
    /// (`limits.connections`); an office behind one address stays far below. A token is one browser's, with a connection for each of its
    /// tabs, or one terminal's.
    package var connectionsPerAddress = 10_000
    package var connectionsPerToken = 256
    package var connectionsPerWorkspace = 20_000

    /// Requests and handshakes of one address, a second: a page with all its files, many times over.
    package var requestsPerSecondPerAddress = 100

    /// Workspaces that strangers register from one address: somebody who begins again.
    package var registrationsPerHourPerAddress = 3

    /// Read from one host, a second: well below what one core processes. A host that was away for days sends at this rate.
    package var messagesPerSecondPerHost = 20_000
    package var kilobytesPerSecondPerHost = 64 << 10
    /// … of one client, over all its connections: hands make less than one.
    package var messagesPerSecondPerClient = 5_000
    package var kilobytesPerSecondPerClient = 16 << 10
    /// … of all hosts and clients of one address, as connections are counted: half of what a workspace may.
    package var messagesPerSecondPerAddress = 25_000
    package var kilobytesPerSecondPerAddress = 128 << 10
    /// … of all hosts and clients of one workspace, so that another one is still served.
    package var messagesPerSecondPerWorkspace = 50_000
    package var kilobytesPerSecondPerWorkspace = 256 << 10

    /// Events that were read and are not on disk: what a disk that hangs for seconds holds up. Hosts are then read no further.
    package var uncommittedMegabytes = 64
    /// Memory of the process; 0 is three quarters of what the machine, or its control group, gives.
    package var memoryMegabytes = 0

    package init() {}

    /// Longest pause in reading a peer: its own liveness must not take that for the end.
    static let pauseNanosecondsMax: Int64 = 5_000_000_000
    /// Push services that somebody runs besides those of the four makers of browsers.
    static let pushHostsMax = 32
    /// Times after which what waits rings again; the last is repeated.
    static let remindersMax = 8
    /// Less is hardly a reminder; more is hardly one that anybody waits for.
    static let reminderMinutes: ClosedRange<Int64> = 5...10_080
    /// A peer that is throttled is told so at most this often.
    static let noticeInterval = Duration.seconds(60)
    /// Addresses whose requests are counted each by itself; with more, all that have come since count as one. As many are kept, too, with what
    /// they sent last.
    static let addressesMax = 10_000
    /// Open files that are no peers' connections, with room to spare: the database, the terminal's socket, pushes, loops.
    static let otherDescriptorsMax = 1_024
    /// A peer that is refused is told to come back after 1 to so many seconds, each another number.
    static let retryAfterSecondsMax = 8
}
