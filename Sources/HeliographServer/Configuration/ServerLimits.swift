/// The relay's limits on input, in addition to the engine's limits of a connection and the core's `Quotas`; 0 is no limit. Each is
/// a setting, `limits.` and its name here, and a label of a metric.
package struct ServerLimits: Sendable, Equatable {
    /// WebSockets of one address (for IPv6: one /64), with one token, and in one workspace. None may take more than half of all
    /// (`limits.connections`); an office behind one address stays far below. A token belongs to one browser, with a connection for
    /// each of its tabs, or to one terminal.
    package var connectionsPerAddress = 10_000
    package var connectionsPerToken = 256
    package var connectionsPerWorkspace = 20_000

    /// Requests and handshakes of one address per second: many times a page with all its files.
    package var requestsPerSecondPerAddress = 100

    /// Workspaces that strangers register from one address per hour: enough for a person who starts again.
    package var registrationsPerHourPerAddress = 3

    /// Input from one host per second: far below what one core processes. A host that was disconnected for days sends at this rate.
    package var messagesPerSecondPerHost = 20_000
    package var kilobytesPerSecondPerHost = 64 << 10
    /// Input from one client per second, over all its connections: people make far less.
    package var messagesPerSecondPerClient = 5_000
    package var kilobytesPerSecondPerClient = 16 << 10
    /// Input per second from all hosts and clients of one address, counted like connections: half of a workspace's.
    package var messagesPerSecondPerAddress = 25_000
    package var kilobytesPerSecondPerAddress = 128 << 10
    /// Input per second from all hosts and clients of one workspace, so that others are still served.
    package var messagesPerSecondPerWorkspace = 50_000
    package var kilobytesPerSecondPerWorkspace = 256 << 10

    /// Events that were read and are not on disk: as many as arrive while a disk hangs for seconds. Beyond it hosts are not read.
    package var uncommittedMegabytes = 64
    /// Memory of the process; 0: three quarters of the machine's, or its control group's.
    package var memoryMegabytes = 0

    package init() {}

    /// Longest pause in reading a peer: its liveness check must not disconnect it.
    static let pauseNanosecondsMax: Int64 = 5_000_000_000
    /// Push services in addition to those of the four browser makers.
    static let pushHostsMax = 32
    /// Number of reminders for an alert that waits; the last interval is repeated.
    static let remindersMax = 8
    /// Range of a reminder: a shorter one hardly reminds, and nobody waits for a longer one.
    static let reminderMinutes: ClosedRange<Int64> = 5...10_080
    /// Shortest interval of the notices to a throttled peer.
    static let noticeInterval = Duration.seconds(60)
    /// Addresses whose requests are counted separately; further ones are counted together. Rates of input are also kept for this
    /// many.
    static let addressesMax = 10_000
    /// Open files other than peers' connections, generously: for the database, the terminal's socket, pushes, loops.
    static let otherDescriptorsMax = 1_024
    /// Longest wait that a refused peer is asked for, in seconds; the wait is random, from 1 on.
    static let retryAfterSecondsMax = 8
}
