/// A fault of a cluster that must be caught: the world itself breaks what holds several relays together, and the checker that watches over it
/// has to see that.
package enum ClusterPlant: String, Sendable, CaseIterable {
    /// A commit does not compare its generation with the row's.
    case noFence
    /// A commit compares it and does not lock the row meanwhile.
    case fenceWithoutLock
    /// A claim does not wait for the standby, and what is loaded after it may be on one machine only.
    case hastyLoad
    /// A claim after a promotion goes on in the epoch of what may be lost.
    case keptEpoch
    /// An edge gives a peer's number to another before the owner has forgotten it.
    case reusedNumber
    /// The owner does not let go of a link's peers when the link ends.
    case keptPeers
    /// A commit without an answer is committed again, without a look whether it is there.
    case doubledCommit
    /// An owner that was fenced shows what it could not commit.
    case fencedShows
    /// An owner does not send its peers away when it has handed their workspace over.
    case keptAfterHandOver
    /// A workspace that another owns by now is dropped, and its core goes on.
    case keptCommitting
    /// A peer's messages go to the core of another workspace, where the node owns one.
    case misroutedPeer
    /// A fence for one workspace is taken for one of all.
    case droppedAll

    /// The promises that it may be seen to break.
    package var watchers: Set<ClusterPromise> {
        switch self {
        // A node that may commit late may also do it twice.
        case .noFence, .fenceWithoutLock: [.fence, .completeness, .durability]
        case .hastyLoad: [.load]
        case .keptEpoch: [.view]
        case .reusedNumber: [.delivery]
        case .keptPeers: [.presence]
        // What is there twice moves what comes after it.
        case .doubledCommit: [.completeness, .durability]
        case .fencedShows: [.durability]
        case .keptAfterHandOver: [.presence]
        case .keptCommitting: [.fence, .presence]
        case .misroutedPeer: [.wall]
        case .droppedAll: [.kept]
        }
    }
}
