/// Counts of what the core holds: for metrics, and for tests that it is bounded.
package struct RelayCensus: Sendable, CustomStringConvertible {
    package var sessions = 0
    /// Removed sessions that are kept in memory.
    package var places = 0
    package var peers = 0
    package var subscriptions = 0
    package var subscribers = 0
    package var waiters = 0
    package var reads = 0
    package var openApprovals = 0
    package var approvals = 0
    package var stagedEvents = 0
    package var commands = 0
    package var expiries = 0
    /// Rate limits in memory: clients that have sent letters lately, hosts and clients that were sent some, and clients that have
    /// looked at terminals.
    package var senders = 0
    /// Counts of the push planner: devices, cards, pushes, APNs channels, alerts that wait, and records that are not on disk.
    package var devices = 0
    package var cards = 0
    package var pushes = 0
    package var channels = 0
    package var rings = 0
    package var owed = 0
    /// The first violated limit or invariant, as a sentence.
    package var breach: String?

    package init() {}

    package init(sumOf parts: [RelayCensus]) {
        for part in parts {
            sessions += part.sessions
            places += part.places
            peers += part.peers
            subscriptions += part.subscriptions
            subscribers += part.subscribers
            waiters += part.waiters
            reads += part.reads
            openApprovals += part.openApprovals
            approvals += part.approvals
            stagedEvents += part.stagedEvents
            commands += part.commands
            expiries += part.expiries
            senders += part.senders
            devices += part.devices
            cards += part.cards
            pushes += part.pushes
            channels += part.channels
            rings += part.rings
            owed += part.owed
            breach = breach ?? part.breach
        }
    }

    package var description: String {
        "\(sessions) sessions, \(places) places, \(peers) peers, \(subscriptions) subscriptions, \(approvals) approvals "
            + "(\(openApprovals) open), \(waiters) waiters, \(reads) reads, \(commands) commands, \(expiries) expiries, \(senders) senders of letters, "
            + "\(devices) devices, \(cards) cards, \(pushes) pushes, \(channels) channels, \(rings) rings, \(owed) owed records"
    }

    package var counts: [(name: String, count: Int)] {
        [
            ("sessions", sessions), ("places", places), ("peers", peers), ("subscriptions", subscriptions),
            ("subscribers", subscribers), ("waiters", waiters), ("reads", reads), ("openApprovals", openApprovals),
            ("approvals", approvals), ("stagedEvents", stagedEvents), ("commands", commands), ("expiries", expiries),
            ("senders", senders),
            ("devices", devices), ("cards", cards), ("pushes", pushes), ("rings", rings), ("owed", owed),
        ]
    }

    package var total: Int {
        sessions + places + peers + subscriptions + subscribers + waiters + reads + approvals + stagedEvents + commands
            + expiries + senders
            + devices + cards + pushes + channels + rings + owed
    }
}
