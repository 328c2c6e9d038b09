/// A planted fault of a cluster that must be caught: the world breaks one of the rules between several relays, and the checker for
/// it has to report that.
package enum ClusterPlant: String, Sendable, CaseIterable {
    /// A commit does not compare its generation with the row's.
    case noFence
    /// A commit compares it, but does not lock the row.
    case fenceWithoutLock
    /// A claim does not wait for the standby, so that the state loaded after it may be on one machine only.
    case hastyLoad
    /// A claim after a promotion continues in an epoch whose tail may be lost.
    case keptEpoch
    /// An edge gives a peer's number to another peer before the owner has forgotten the first.
    case reusedNumber
    /// The owner does not release a link's peers when the link ends.
    case keptPeers
    /// A commit without an answer is repeated without checking whether it is there.
    case doubledCommit
    /// A core is loaded again while its last commit may still be written.
    case unsettledLoad
    /// A core that reads the log again does not disconnect its peers.
    case silentSuspension
    /// A core that is handed over during a commit is never released.
    case unreleased
    /// An owner that was fenced shows events that it could not commit.
    case fencedShows
    /// An owner does not disconnect the peers of a workspace that it has handed over.
    case keptAfterHandOver
    /// A workspace that another node owns by now is dropped, but its core continues.
    case keptCommitting
    /// A peer's messages go to the core of another workspace, if the node owns one.
    case misroutedPeer
    /// A fence for one workspace is mistaken for one of all.
    case droppedAll
    /// A workspace whose owner has died is left alone for longer than allowed.
    case lateClaim
    /// A new workspace is overlooked for as long.
    case overlookedWorkspace
    /// A node gives a workspace away a few seconds after claiming it, again and again.
    case restlessOwner
    /// A node that drains hands over nothing.
    case heldDrain
    /// An edge keeps its link to a node that owns nothing any more.
    case keptLink
    /// A node does not inform the core that its workspace was removed.
    case deafOwner
    /// A core commits once more to a removed workspace after it has released it.
    case lateRows
    /// A node answers a request for an identity with that of the previous request.
    case swappedIdentity
    /// A node refuses an unknown token at once, though another node may have issued it a moment ago.
    case hastyRefusal
    /// A node still knows the holder of a revoked token.
    case rememberedToken
    /// The planners of all workspaces number their pushes from 1.
    case sharedNumbers
    /// A code decides the approval of another push.
    case swappedCode
    /// Pushes without an answer are not sent again when a workspace changes its owner.
    case mutePushes
    /// The next owner does not know which pushes have rung.
    case forgottenRings
    /// A letter also reaches another peer of its workspace.
    case strayLetter

    /// Settings of worlds in which the fault matters.
    package var settings: ClusterSettings {
        var settings = ClusterSettings()
        settings.plant = self
        switch self {
        case .lateClaim: (settings.nodes, settings.drill) = (3, .killed)
        case .overlookedWorkspace: (settings.isAdministered, settings.drill) = (true, .added)
        case .restlessOwner: settings.nodes = 3
        case .heldDrain: (settings.nodes, settings.drill) = (3, .drained)
        case .keptLink: (settings.nodes, settings.drill) = (3, .stopped)
        case .deafOwner, .lateRows: (settings.isAdministered, settings.workspaces) = (true, 3)
        case .hastyRefusal: (settings.isAdministered, settings.drill) = (true, .added)
        case .rememberedToken: (settings.isAdministered, settings.workspaces, settings.drill) = (true, 3, .removed)
        case .sharedNumbers, .swappedCode, .mutePushes, .forgottenRings: settings.hasPhones = true
        case .strayLetter: (settings.hasLetters, settings.workspaces) = (true, 1)
        case .noFence, .fenceWithoutLock, .hastyLoad, .unsettledLoad, .silentSuspension, .unreleased, .keptEpoch, .reusedNumber,
            .keptPeers, .doubledCommit, .fencedShows,
            .keptAfterHandOver, .keptCommitting, .misroutedPeer, .droppedAll, .swappedIdentity:
            break
        }
        return settings
    }

    /// The promises that it may be reported to break.
    package var watchers: Set<ClusterPromise> {
        switch self {
        // A node that may commit late may also do it twice.
        case .noFence, .fenceWithoutLock: [.fence, .completeness, .durability]
        case .hastyLoad: [.load]
        // The claim that settles the commit also waits for the standby.
        case .unsettledLoad: [.load, .fence, .completeness, .durability, .view]
        case .silentSuspension: [.presence, .service, .level]
        case .unreleased: [.service, .level]
        case .keptEpoch: [.view]
        case .reusedNumber: [.delivery]
        case .keptPeers: [.presence]
        // A doubled event shifts those that follow.
        case .doubledCommit: [.completeness, .durability]
        case .fencedShows: [.durability]
        case .keptAfterHandOver: [.presence]
        // Its peers stay with it, and their messages reach no core.
        case .keptCommitting: [.fence, .presence, .service]
        case .misroutedPeer: [.wall]
        case .droppedAll: [.kept]
        case .lateClaim, .overlookedWorkspace, .heldDrain, .keptLink: [.service]
        case .restlessOwner: [.placement]
        case .deafOwner, .lateRows: [.removal]
        case .swappedIdentity, .hastyRefusal, .rememberedToken: [.identity]
        case .sharedNumbers: [.numbers]
        case .swappedCode: [.codes]
        case .mutePushes, .forgottenRings: [.alerts]
        case .strayLetter: [.letters]
        }
    }
}
