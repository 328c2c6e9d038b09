/// Bounds of the spool, each with its reason.
package struct SpoolLimits: Sendable {
    /// Hours of work without a relay; beyond it the oldest events that nobody decides about go.
    package var bytesMax = 64 << 20

    /// A file that is full is followed by another; whole files are deleted when all in them is acknowledged.
    package var segmentBytesMax = 4 << 20

    /// Sessions whose numbering is remembered after all of their events are acknowledged; as many as a `hello` can name.
    package var sessionsMax = 1_000

    /// Kept free for a start on a full disk: a file begins with the numbering of all sessions and what is known of open approvals, a hundred
    /// kilobytes at most, and the relay's word on each session follows.
    package var reserveBytes = 256 << 10

    /// Items in memory for a disk that takes nothing: thousands of ends of approvals.
    package var owedBytesMax = 1 << 20

    package init() {}
}
