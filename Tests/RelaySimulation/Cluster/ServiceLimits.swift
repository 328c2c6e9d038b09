import RelayCluster
import RelayCore
import RelayProtocol

/// Limits for the recovery of service in a cluster, in milliseconds: each is the sum of the limits of the parts involved, by their
/// own names. A node's clock may run faster than true time here, but not slower.
enum ServiceLimits {
    // MARK: Steps, where nothing else fails

    /// A query to the database, including waits of its transaction.
    static let question: Int64 = 20
    /// Time until the database has noticed that a process has ended.
    static let goodbye: Int64 = 20
    /// Time from one look of a node to the answer of the next.
    static let look = NodePlacement.lookInterval + question
    /// Time from when a workspace may be claimed until a node serves it: it is seen to be free, left to the preferred node, which
    /// may be the one that has gone, seen again, claimed and loaded.
    static let takeover = look + PlacementMachine.courtesy + look + 2 * question
    /// Time for an edge to see the new owner, wait before it connects again, and have a link.
    static let link = look + PlacementMachine.dialInterval + look
    /// Time from issuing or revoking a token until each working node knows of it: it looks, and reads the tokens, after a reading
    /// in progress has ended.
    static let heard = look + 2 * question
    /// Time for a disconnected peer to try one node after the other; each may refuse it once.
    static func comingBack(to nodes: Int) -> Int64 { Int64(nodes + 1) * (ClusterSocket.retryMax + question) }
    /// Time from the open connection until everything is exchanged: hello, positions, the spooled events, their commit, the events
    /// to clients.
    static let exchange: Int64 = 1_000

    /// Delay if a node hands a workspace over to one that has gone but still has its lease: it has to be taken back.
    static let misplaced = question + takeover

    // MARK: One thing fails

    /// Time until every workspace has a working owner.
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
            // All leases start anew; a process that owns workspaces from the previous run of the database ends at its next renewal.
            ClusterDrill.outage
                + max(ClusterDatabase.lease, PlacementMachine.renewalInterval + look + ClusterNode.restartMax) + takeover
        }
    }

    /// Time until every connected participant matches the log: each host's events are acknowledged, and each client has them.
    static func level(after drill: ClusterDrill, nodes: Int, workspaces: Int) -> Int64 {
        let away = owned(after: drill, workspaces: workspaces)
        let rest = link + comingBack(to: nodes) + exchange
        return switch drill {
        case .killed, .cutOff, .drained, .ended, .fenced, .promoted: away + rest
        // The node's own peers notice by the heartbeat, and one of them may try it once more.
        case .stopped: max(away, World.heartbeat.hangUpSeconds * 1_000) + ClusterSocket.connectPatience + rest
        case .unlinked: NodeWire.silenceMax + rest
        // Each node has to read the tokens.
        case .added: away + look + question + rest
        // Service needs no recovery, but the rows have to be deleted.
        case .removed: gone + rest
        }
    }

    // MARK: Many things have failed

    /// Time after the last of many faults until every participant matches the log. The slowest work in progress then: a promotion,
    /// after which no node takes over for a lease, or a draining node; plus a transaction that is slow, times out, and is repeated
    /// by another claim.
    static func level(afterAllOf nodes: Int) -> Int64 {
        let promotion = ClusterFaults.outageMax + ClusterDatabase.lease
        let drain = NodePlacement.drainWithin + NodePlacement.leavingWait
        let stuck = DatabaseWorkspace.slowCommitMax + NodeDatabase.askingMax + PlacementMachine.claimRetryInterval
        return max(promotion, drain) + ClusterNode.restartMax + stuck + takeover + link + ClusterSocket.connectPatience
            + comingBack(to: nodes) + exchange
    }

    /// Time after that until all effects of the faults have ended. The slowest of them: a draining node that restarts; a database
    /// that has just started, so that no node takes over for a lease; a dead connection, or an abandoned commit that a claim waits
    /// for. In addition, one query may fail.
    static let ready =
        max(
            NodePlacement.drainWithin + NodePlacement.leavingWait + ClusterNode.restartMax,
            ClusterFaults.outageMax + ClusterDatabase.lease, max(NodeDatabase.noticedMax, DatabaseWorkspace.slowCommitMax))
        + NodeDatabase.askingMax + look

    /// Time after that until no remains of a removed workspace are left: its owner may be waiting to retry a failed step.
    static let removed = OwnerPart.removalRetry + takeover + gone

    /// Time until the owner of a removed workspace has noticed the removal, deleted its rows, and released it.
    private static let gone = look + 3 * question + sessionsMax * (Limits.trimInterval + question) + look + 2 * question
    /// Sessions of one workspace.
    private static let sessionsMax: Int64 = 6

    // MARK: Nothing fails

    /// Time after that until each workspace is at its place: a restarted node keeps its state for a while, and a node hands over
    /// one workspace at a time.
    static let placed = PlacementMachine.stay + 10 * PlacementMachine.handOverInterval
    /// Minimum time between two owners of one workspace: a node keeps a claimed workspace this long, by its own clock.
    static let kept = Int64(Double(PlacementMachine.handOverInterval) / ClusterNode.rateMax)
    /// Minimum time for which placement is watched for changes.
    static let quiet = 2 * kept
    /// Owners that one workspace may have until it is placed: it is handed over, comes back, and stays.
    static let movesMax = 3
}
