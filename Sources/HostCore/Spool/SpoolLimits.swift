/// Bounds of the spool, each with its reason.
package struct SpoolLimits: Sendable {
    /// Bytes of all files: hours of work without a relay. Beyond it the oldest events that need no decision are dropped.
    package var bytesMax = 64 << 20

    /// Bytes of one file, after which another is begun; whole files are deleted when all their events are acknowledged.
    package var segmentBytesMax = 4 << 20

    /// Sessions whose numbering is remembered after all of their events are acknowledged; as many as a `hello` can name.
    package var sessionsMax = 1_000

    /// Bytes reserved for a start on a full disk: a file begins with the numbering of all sessions and what is known of open
    /// approvals, a hundred kilobytes at most, and the relay's position in each session follows.
    package var reserveBytes = 256 << 10

    /// Bytes of items kept in memory while the disk fails: thousands of ends of approvals.
    package var owedBytesMax = 1 << 20

    package init() {}
}
