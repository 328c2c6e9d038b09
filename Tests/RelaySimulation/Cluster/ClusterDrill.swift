/// A single failure in a cluster that otherwise works: the design states how soon service is back, and `ServiceLimits` adds up the
/// time.
package enum ClusterDrill: String, Sendable, CaseIterable {
    /// A node is killed, and not restarted.
    case killed
    /// A node's process is stopped, and keeps its sockets.
    case stopped
    /// A node cannot reach the database.
    case cutOff
    /// A node is asked to end, and hands over its workspaces first.
    case drained
    /// A node is asked to end at once.
    case ended
    /// An operator takes a workspace from its living owner.
    case fenced
    /// A node and the others cannot reach each other; all reach the database.
    case unlinked
    /// The database is lost, and its standby replaces it.
    case promoted
    /// A workspace is made.
    case added
    /// A workspace is removed.
    case removed

    /// Milliseconds for which the database is down.
    static let outage: Int64 = 1_000

    /// A drill that is possible in a world like this.
    static func drawn(nodes: Int, workspaces: Int, isAdministered: Bool, by dice: inout Dice) -> ClusterDrill {
        // A single node has no replacement until it is restarted.
        let possible = allCases.filter { drill in
            switch drill {
            case .fenced, .promoted: true
            case .added: isAdministered
            // The first workspace cannot be removed.
            case .removed: isAdministered && workspaces > 1
            case .killed, .stopped, .cutOff, .drained, .ended, .unlinked: nodes > 1
            }
        }
        return dice.pick(possible)
    }

    /// True if workspaces that the victim believes it owns do not count.
    var leavesVictimOut: Bool {
        switch self {
        case .killed, .stopped, .cutOff: true
        case .drained, .ended, .fenced, .unlinked, .promoted, .added, .removed: false
        }
    }
}
