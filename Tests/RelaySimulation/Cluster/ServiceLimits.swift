import RelayCluster
import RelayCore
import RelayProtocol

/// How soon service is back in a cluster, in milliseconds: each bound is the sum of the allowances of the parts involved, by their own
/// names. A node's clock may run faster than the truth here, and never slower.
enum ServiceLimits {
    // MARK: Steps, where nothing else fails

    /// To the database and back, with the waits of a transaction there.
    static let question: Int64 = 20
    /// Until the database has noticed that a process has ended.
    static let goodbye: Int64 = 20
    /// From one look of a node to the answer of the next.
    static let look = NodePlacement.lookInterval + question
    /// From the moment from which a workspace may be claimed until a node serves it: it is seen to be free, left to the node that it
    /// belongs to, which may be the one that has gone, seen again, claimed and loaded.
    static let takeover = look + PlacementMachine.courtesy + look + 2 * question
    /// An edge sees the new owner, waits before it dials again, and has a link.
    static let link = look + PlacementMachine.dialInterval + look
    /// From the moment at which a token is made or revoked until each node that is well knows of it: it looks, and reads the entrants,
    /// once it has ended a reading that is under way.
    static let heard = look + 2 * question
    /// A peer that was sent away asks one node after the other; each may have to refuse it once.
    static func comingBack(to nodes: Int) -> Int64 { Int64(nodes + 1) * (ClusterSocket.retryMax + question) }
    /// From the open connection until everything is exchanged: hello, positions, the spooled events, their commit, the events to clients.
    static let exchange: Int64 = 1_000

    /// A node may hand a workspace over to one that has gone, for as long as that one's lease runs: it is taken back.
    static let misplaced = question + takeover

    // MARK: One thing fails

    /// Until every workspace has an owner that is well.
    static func owned(after drill: ClusterDrill, workspaces: Int) -> Int64 {
        switch drill {
        case .killed: goodbye + takeover + misplaced
        // Other nodes notice only when the lease has expired.
        case .stopped, .cutOff: ClusterDatabase.lease + takeover + misplaced
        // The node hands over one workspace with each look, and ends with another.
        case .drained: Int64(workspaces) * (look + 3 * question) + look + NodePlacement.leavingWait + takeover
        case .ended: NodePlacement.leavingWait + goodbye + takeover
        case .fenced, .added: question + takeover
        case .unlinked, .removed: 0
        case .promoted:
            // All leases count anew; a process that owns workspaces from the previous life ends at its next renewal.
            ClusterDrill.outage
                + max(ClusterDatabase.lease, PlacementMachine.renewalInterval + look + ClusterNode.restartMax) + takeover
        }
    }

    /// Until every connected participant is level: each host's events are acknowledged, and each client has them.
    static func level(after drill: ClusterDrill, nodes: Int, workspaces: Int) -> Int64 {
        let away = owned(after: drill, workspaces: workspaces)
        let rest = link + comingBack(to: nodes) + exchange
        return switch drill {
        case .killed, .cutOff, .drained, .ended, .fenced, .promoted: away + rest
        // Its own peers find out by the heartbeat, and one of them may ask it once more.
        case .stopped: max(away, World.heartbeat.hangUpSeconds * 1_000) + ClusterSocket.connectPatience + rest
        case .unlinked: NodeWire.silenceMax + rest
        // Each node has to read the entrants.
        case .added: away + look + question + rest
        // Service needs no recovery, but the rows have to be deleted.
        case .removed: gone + rest
        }
    }

    // MARK: Many things have failed

    /// After the last fault of many, until every participant is level. The slowest work under way then: a promotion, after which no node
    /// takes over for a lease, or a node that drains and is waited for; in addition a transaction that is slow, is asked for in vain, and
    /// is claimed for again.
    static func level(afterAllOf nodes: Int) -> Int64 {
        let promotion = ClusterFaults.outageMax + ClusterDatabase.lease
        let drain = NodePlacement.drainWithin + NodePlacement.leavingWait
        let stuck = DatabaseWorkspace.slowCommitMax + NodeDatabase.askingMax + PlacementMachine.claimRetryInterval
        return max(promotion, drain) + ClusterNode.restartMax + stuck + takeover + link + ClusterSocket.connectPatience
            + comingBack(to: nodes) + exchange
    }

    /// From then on, until all effects of the faults have ended. The slowest of them: a node that drains and comes back; a database that
    /// has just come up, so that no node takes over for a lease; a dead connection, or an abandoned commit that a claim waits for. In
    /// addition, one question may fail.
    static let ready =
        max(
            NodePlacement.drainWithin + NodePlacement.leavingWait + ClusterNode.restartMax,
            ClusterFaults.outageMax + ClusterDatabase.lease, max(NodeDatabase.noticedMax, DatabaseWorkspace.slowCommitMax))
        + NodeDatabase.askingMax + look

    /// From then on, until nothing is left of a workspace that was removed: its owner may be waiting for a database that did not take a step.
    static let removed = OwnerPart.removalRetry + takeover + gone

    /// Until the owner of a removed workspace has learnt of the removal, deleted its rows, and released it.
    private static let gone = look + 3 * question + sessionsMax * (Limits.trimInterval + question) + look + 2 * question
    /// Of one workspace.
    private static let sessionsMax: Int64 = 6

    // MARK: Nothing fails

    /// From then on, until each workspace is at its place: a node that came back stays for a while, and a node hands over one at a time.
    static let placed = PlacementMachine.stay + 10 * PlacementMachine.handOverInterval
    /// Between two owners of one workspace: a node keeps a claimed workspace for this long, by its own clock.
    static let kept = Int64(Double(PlacementMachine.handOverInterval) / ClusterNode.rateMax)
    /// Minimum time for which placement is watched for changes.
    static let quiet = 2 * kept
    /// Owners that one workspace has while it finds its place: it is handed over, comes back, and stays.
    static let movesMax = 3
}
