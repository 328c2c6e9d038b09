/// Limits of the core's peers and of its memory, each with its reason.
package enum Limits {
    /// Events in a session snapshot: a few screens of a phone; older ones come by `history`.
    static let snapshotEventsMax = 200
    /// Bytes of events in a session snapshot or one replayed message: a second on a slow phone, and well below one message.
    static let pageBytesMax = 256 << 10
    /// Events read at once while a subscriber catches up.
    static let replayEventsMax = 500
    /// Sessions in a workspace snapshot, the latest first: what a person scrolls through.
    static let snapshotSessionsMax = 500
    /// Bytes of a snapshot, and of each page that follows one: beyond what is ordinary, and below the smallest `limits.outboxMegabytes`. One
    /// item more may be in it.
    static let snapshotBytesMax = 768 << 10
    /// Between two pages, in milliseconds: one takes a few of the core's.
    static let snapshotPageInterval: Int64 = 20
    /// Bytes that are sent in such an interval to begin the views of workspaces; as many for those of sessions, and for pages. A gigabit a second, and what
    /// hundreds of clients that read nothing make the process keep before it is looked at how much that is.
    package static let viewBytesMax = 4 << 20
    /// Bytes of snapshots that are kept for those who ask next, of all workspaces.
    static let keptSnapshotsBytesMax = 16 << 20
    /// Bytes of events in a batch of which the messages are made ahead, and thus kept beside it while the disk is busy. Making those of a larger one
    /// is a small part of what its commit takes.
    static let preparedBytesMax = 256 << 10
    /// No agent waits longer than this, in milliseconds; a host may name any number.
    static let expiryMax: Int64 = 30 * 24 * 60 * 60 * 1000
    /// Interval at which resolved approvals are forgotten, in milliseconds.
    static let housekeepingInterval: Int64 = 5 * 60 * 1000
    /// A congested client whose view is further behind than this gets a snapshot of what is, not all that was.
    static let conflatedEventsMax = snapshotEventsMax
    /// A client that takes nothing for so long, in milliseconds, may come back with its position.
    static let congestionMax: Int64 = 60_000
    /// For how long commands are remembered so that each has one effect, in milliseconds.
    package static let commandsAge: Int64 = 24 * 60 * 60 * 1000
    /// Events that retention lets go of in one transaction: it must not hold up what is live.
    static let trimmedEventsMax: Int64 = 2_000
    /// If a host may have no more sessions, one in this many makes room if it has ended.
    static let roomShare = 10
    /// Margins above the bytes of events that a workspace may keep, the least first: the sweep begins, a host with an equal share of them
    /// waits, a host with less waits.
    static let sweepExcess = EventExcess(share: 16, bytesMin: 1 << 20)
    static let refusalExcess = EventExcess(share: 8, bytesMin: 2 << 20)
    static let refusalExcessOfSmall = EventExcess(share: 4, bytesMin: 4 << 20)
    /// Events of a session that goes on which retention by bytes leaves.
    static let keptEventsMin: Int64 = 500
    /// From the start of the relay to its first look at what to let go of, in milliseconds: first everybody comes back.
    static let trimAfterStart: Int64 = 5_000
    /// Between two steps of retention while there is more to let go of, in milliseconds.
    package static let trimInterval: Int64 = 100
    /// RemovedSessions of removed sessions that are kept at hand, of all workspaces: 8 MB. The others are read when their host names them.
    package static let removedSessionsMax = 20_000
    /// Looks for places under way for one host, and places that wait for it afterwards: it sends again what has to wait.
    static let removedSessionsReadsMax = 64
    /// Subscriptions of one client: a wall of sessions, not all that ever were.
    static let subscriptionsMax = 256
    /// Reads of the log that one connection of a client waits for: what a page opens at once.
    static let readsMax = 32
    /// … and for all of them: one page is read while another is delivered. More would be delivered in one turn, for as long as that takes.
    package static let readsAtOnceMax = 2
    /// Bytes of the approvals open at once on one host and in one workspace, besides `Quotas`: all of them are in every snapshot, which
    /// is half of what may wait for one client.
    static let openApprovalBytesPerHostMax = 4 << 20
    static let openApprovalBytesPerWorkspaceMax = 8 << 20
    /// Sessions of a workspace with a budget of their own: what a person sets by hand.
    static let budgetsMax = 256
    /// Days of a workspace whose spending is kept: a clock that was set back finds the day that it is in again.
    static let budgetDaysMax = 32
    /// Days of sessions whose cost a workspace keeps: a person's for some years, a team's for one.
    static let costRowsMax = 20_000
    /// Commands of one client that wait for a commit.
    static let waitingCommandsMax = 256
    /// Letters of one client, with all its connections: 60 a minute and 30 at once. A device that is being paired writes one every few seconds, and
    /// one that vouches for another writes one to each of its hosts.
    static let letters = TokenBucket(perSecond: 1, burst: .seconds(30))
    /// Letters of one host, and as many to one, or to one client from others: 240 a minute and 120 at once, 700 KB. A host writes to each device that it trusts.
    static let lettersOfHost = TokenBucket(perSecond: 4, burst: .seconds(30))
    /// Looks of one client at terminals: hosts draw ten times a second, and two screens may be open.
    static let looks = TokenBucket(perSecond: 20, burst: .seconds(2))
    /// Messages with keys of one client: what is typed while one is under way goes in the next.
    static let keys = TokenBucket(perSecond: 20, burst: .seconds(2))
    /// Looks and keys of one connection that wait for an answer: a look and some keys, at two terminals.
    static let screensOfClientMax = 8
    /// … and at one host: a few people.
    static let screensOfHostMax = 64
    /// For a host's answer, in nanoseconds; it gives one within ten seconds.
    static let screenWithin: Int64 = 30_000_000_000
}

/// A margin above a bound of bytes.
struct EventExcess {
    /// One in this many of the bound …
    let share: Int64
    /// … or this, if it is more: a small bound is not to be reached by one message.
    let bytesMin: Int64

    func above(_ max: Int64) -> Int64 { max + Swift.max(max / share, bytesMin) }
}
