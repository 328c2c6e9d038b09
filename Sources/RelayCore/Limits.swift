/// Limits of the core's peers and of its memory, each with its reason.
package enum Limits {
    /// Events in a session snapshot: a few screens of a phone; older ones are read with `history`.
    static let snapshotEventsMax = 200
    /// Bytes of events in a session snapshot or one replayed message: takes a second on a slow phone, and is far below the limit of
    /// a message.
    static let pageBytesMax = 256 << 10
    /// Events read at once while a subscriber catches up.
    static let replayEventsMax = 500
    /// Sessions in a workspace snapshot, the latest first: as many as a person scrolls through.
    static let snapshotSessionsMax = 500
    /// Bytes of a snapshot, and of each page that follows one: more than snapshots usually have, and below the smallest
    /// `limits.outboxMegabytes`. Exceeded by one item at most.
    static let snapshotBytesMax = 768 << 10
    /// Time between two pages, in milliseconds: the core needs a few of them for a page.
    static let snapshotPageInterval: Int64 = 20
    /// Bytes that are sent in such an interval to begin views of workspaces; as many again for views of sessions, and for pages.
    /// That is a gigabit a second, and the memory that hundreds of clients that read nothing can take before it is checked.
    package static let viewBytesMax = 4 << 20
    /// Memory for snapshots that are kept for later requests, of all workspaces.
    static let keptSnapshotsBytesMax = 16 << 20
    /// Bytes of events up to which a batch's messages are encoded in advance, and thus kept in memory while the disk is busy. For a
    /// larger batch encoding is a small part of its commit's time.
    static let preparedBytesMax = 256 << 10
    /// Longest time for which an approval waits, in milliseconds; a host may ask for any.
    static let expiryMax: Int64 = 30 * 24 * 60 * 60 * 1000
    /// Interval at which resolved approvals are forgotten, in milliseconds.
    static let housekeepingInterval: Int64 = 5 * 60 * 1000
    /// Events up to which a congested client's view is continued; one further behind gets a snapshot of the current state instead.
    static let conflatedEventsMax = snapshotEventsMax
    /// Time after which a client that reads nothing is disconnected, in milliseconds; it may reconnect with its position.
    static let congestionMax: Int64 = 60_000
    /// Time for which commands are remembered so that each has one effect, in milliseconds.
    package static let commandsAge: Int64 = 24 * 60 * 60 * 1000
    /// Events that retention removes in one transaction, so that live commits are not delayed.
    static let trimmedEventsMax: Int64 = 2_000
    /// When a host has reached its number of sessions, one in this many is removed if it has ended.
    static let roomShare = 10
    /// Margins above a workspace's limit for bytes of events, the smallest first: retention begins, a host with more than its share
    /// must wait, a host with less must wait.
    static let sweepExcess = EventExcess(share: 16, bytesMin: 1 << 20)
    static let refusalExcess = EventExcess(share: 8, bytesMin: 2 << 20)
    static let refusalExcessOfSmall = EventExcess(share: 4, bytesMin: 4 << 20)
    /// Newest events that retention by bytes leaves in a session that has not ended.
    static let keptEventsMin: Int64 = 500
    /// Time from the relay's start to the first step of retention, in milliseconds: clients and hosts reconnect first.
    static let trimAfterStart: Int64 = 5_000
    /// Time between two steps of retention while there is more to remove, in milliseconds.
    package static let trimInterval: Int64 = 100
    /// Removed sessions that are kept in memory, of all workspaces: 8 MB. The others are read when their host names them.
    package static let removedSessionsMax = 20_000
    /// Lookups of removed sessions under way for one host, and sessions that wait for one: the host sends again what had to wait.
    static let removedSessionsReadsMax = 64
    /// Subscriptions of one client: enough for a wall of sessions, not for every session there ever was.
    static let subscriptionsMax = 256
    /// Pending reads of the log of one client's connection: as many as a page opens at once.
    static let readsMax = 32
    /// Simultaneous reads of the log for all clients: one page is read while another is delivered. More would be delivered in one
    /// turn, which blocks the core for that long.
    package static let readsAtOnceMax = 2
    /// Bytes of open approvals on one host and in one workspace, besides `Quotas`: all of them are in every snapshot, which is half
    /// of what may wait for one client.
    static let openApprovalBytesPerHostMax = 4 << 20
    static let openApprovalBytesPerWorkspaceMax = 8 << 20
    /// Sessions of a workspace with a budget of their own: as many as a person sets by hand.
    static let budgetsMax = 256
    /// Days of a workspace whose spending is kept: if a clock is set back, the day continues with its amount.
    static let budgetDaysMax = 32
    /// Rows of session costs (one per session and day) that a workspace keeps: some years of a person's, one year of a team's.
    static let costRowsMax = 20_000
    /// Commands of one client that wait for a commit.
    static let waitingCommandsMax = 256
    /// Letters of one client, over all its connections: 60 a minute and 30 at once. A device that is being paired sends one every
    /// few seconds, and one that vouches for another sends one to each of its hosts.
    static let letters = TokenBucket(perSecond: 1, burst: .seconds(30))
    /// Letters of one host, and as many to one host, or to one client from others: 240 a minute and 120 at once, 700 KB. A host
    /// writes to each device that it trusts.
    static let lettersOfHost = TokenBucket(perSecond: 4, burst: .seconds(30))
    /// Looks of one client at terminals: hosts draw ten times a second, and two screens may be open.
    static let looks = TokenBucket(perSecond: 20, burst: .seconds(2))
    /// Messages with keys from one client: what is typed while one is under way is sent in the next.
    static let keys = TokenBucket(perSecond: 20, burst: .seconds(2))
    /// Pending looks and keys of one connection: a look and some keys, at two terminals.
    static let screensOfClientMax = 8
    /// Pending looks and keys at one host: enough for a few people.
    static let screensOfHostMax = 64
    /// Time to wait for a host's answer, in nanoseconds; hosts answer within ten seconds.
    static let screenWithin: Int64 = 30_000_000_000
}

/// A margin above a limit of bytes.
struct EventExcess {
    /// The margin is the bound divided by this …
    let share: Int64
    /// … or this, if it is more: one message must not exceed a small limit.
    let bytesMin: Int64

    func above(_ max: Int64) -> Int64 { max + Swift.max(max / share, bytesMin) }
}
