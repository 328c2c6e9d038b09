/// A single failure in a cluster that is well otherwise and keeps working: the design says how soon service is back, and `ServiceLimits`
/// adds it up.
package enum ClusterDrill: String, Sendable, CaseIterable {
    /// A node is gone, and stays away.
    case killed
    /// A node is stopped, and keeps its sockets.
    case stopped
    /// A node does not reach the database.
    case cutOff
    /// A node is asked to end, and hands over its workspaces first.
    case drained
    /// A node is asked to end at once.
    case ended
    /// An operator takes a workspace from its living owner.
    case fenced
    /// A node and the others do not reach each other; all reach the database.
    case unlinked
    /// The database is lost, and its standby takes its place.
    case promoted
    /// A workspace is made.
    case added
    /// A workspace is removed.
    case removed

    /// How long the database is down.
    static let outage: Int64 = 1_000

    /// Drawn for a world like this.
    static func drawn(nodes: Int, workspaces: Int, isAdministered: Bool, by dice: inout Dice) -> ClusterDrill {
        // A node that is alone is away until it is started again.
        let possible = allCases.filter { drill in
            switch drill {
            case .fenced, .promoted: true
            case .added: isAdministered
            // The first one stays.
            case .removed: isAdministered && workspaces > 1
            case .killed, .stopped, .cutOff, .drained, .ended, .unlinked: nodes > 1
            }
        }
        return dice.pick(possible)
    }

    /// True if workspaces that the victim still believes it owns do not count.
    var leavesVictimOut: Bool {
        switch self {
        case .killed, .stopped, .cutOff: true
        case .drained, .ended, .fenced, .unlinked, .promoted, .added, .removed: false
        }
    }
}
