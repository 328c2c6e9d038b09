package import RelayCore
package import RelayModel
package import RelayProtocol

/// A core within a process. It takes facts in as long as its state is the store's; when the store's content is unknown, it sends all peers
/// away and begins again with what is stored. Pure: the clock and the store's answers are arguments.
///
/// Every other input goes to the core as it is, so the relay's orders come back unchanged (`handle(_ input:)`). The rest is its life:
/// facts of the store and of the process, and orders for both.
package struct CoreMachine {
    package enum Fact: Sendable {
        /// The batch that the core ordered last has come to its end.
        case commitEnded(CommitTries.Outcome)
        /// The wait of `loadLater` is over.
        case loadFellDue
        /// `boot` names the start of the machine that the steady clock counts from.
        case loaded(LogState, boot: String)
        case loadFailed
        /// The process ends, and another begins soon.
        case leaveOrdered
        /// Another node owns the core's workspaces, or is about to.
        case endOrdered
    }

    package enum Order: Sendable {
        /// The core's own orders.
        case run([Effect])
        /// Refuse new peers, or let them in again.
        case shutOut(Bool)
        /// Disconnect them. They come back with their positions, each at a moment of its own (`ReturnWindow`).
        case dismiss(hosts: [PeerID], clients: [PeerID])
        /// Timers, reads and pushes of the core are answered to nobody any more.
        case forget
        /// Answered by `loadFellDue`.
        case loadLater(after: Int64)
        /// Read what is stored. Answered by `loaded` or `loadFailed`.
        case load
        /// Call `beginAgain`: the core has what is stored, and peers may come back.
        case beginAgain
        /// No batch is being committed, and none will be: let another node have what this was the core of.
        case release
    }

    private enum Life {
        /// The core's state is the store's. Becomes `suspended` or `over`.
        case serving
        /// The store's content is unknown, and no peer is connected. Becomes `serving` or `over`.
        case suspended
        /// Nothing is taken in any more.
        case over(isCommitting: Bool)
    }

    /// In milliseconds, from a failure to the next attempt to read the store.
    package static let loadRetryInterval: Int64 = 1_000
    private static let refusal = "the relay's store takes no writes; try again"

    package private(set) var relay: Relay
    private var life = Life.serving
    private var isLeaving = false
    /// Clients that hold a token, as last reported; nil: all. Kept for the next core.
    private var holders: Set<ClientKey>?
    /// Removed workspaces, as far as was reported. Kept for the next core.
    private var removedWorkspaces: Set<WorkspaceID> = []
    /// Limits of single workspaces, as last reported. Kept for the next core.
    private var limits: [WorkspaceID: WorkspaceLimits] = [:]

    /// Call `begin` first.
    package init(_ relay: Relay) { self.relay = relay }

    /// True if the core's state is the store's. Answers to what an earlier core has asked are not for this one.
    package var isServing: Bool { if case .serving = life { true } else { false } }

    /// As `Relay.backlog`. A core that does not serve has none.
    package mutating func backlog() -> Relay.Backlog { isServing ? relay.backlog() : Relay.Backlog() }

    /// As `Relay.prepare`.
    package mutating func prepare() { relay.prepare() }

    /// `holders` are the clients that hold a token; nil: all. `limits` are those of single workspaces.
    package mutating func begin(
        at now: Instant, holders: Set<ClientKey>?, limits: [WorkspaceID: WorkspaceLimits] = [:]
    ) -> [Effect] {
        self.holders = holders
        self.limits = limits
        return beginAgain(at: now)
    }

    /// As the order of this name says.
    package mutating func beginAgain(at now: Instant) -> [Effect] {
        var effects = relay.started(at: now, holders: holders, limits: limits)
        // An earlier life may not have completed their removal.
        for workspace in removedWorkspaces.sorted(by: { $0.rawValue < $1.rawValue }) {
            effects += relay.handle(.workspaceRemoved(workspace), at: now)
        }
        return effects
    }

    // MARK: - Facts

    package mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        switch input {
        case .clientsListed(let holders): self.holders = holders
        case .workspaceRemoved(let workspace): removedWorkspaces.insert(workspace)
        case .limitsListed(let limits): self.limits = limits
        default: break
        }
        return isServing ? relay.handle(input, at: now) : Self.turnedAway(input)
    }

    package mutating func handle(_ fact: Fact, at now: Instant) -> [Order] {
        switch (life, fact) {
        case (.serving, .commitEnded(let outcome)): commitEnded(outcome, at: now)
        case (.over(isCommitting: true), .commitEnded): released()
        case (.suspended, .loadFellDue): [.load]
        case (.suspended, .loaded(let state, let boot)): loaded(state, boot, at: now)
        case (.suspended, .loadFailed): [.loadLater(after: Self.loadRetryInterval)]
        case (.serving, .leaveOrdered), (.suspended, .leaveOrdered): leave()
        case (.serving, .endOrdered), (.suspended, .endOrdered): end()
        // The process has ended it, and an answer was on its way.
        case (.over, _): []
        case (.serving, .loadFellDue), (.serving, .loaded), (.serving, .loadFailed), (.suspended, .commitEnded):
            preconditionFailure("a core is loaded while it is suspended, and commits while it is not")
        }
    }

    private mutating func commitEnded(_ outcome: CommitTries.Outcome, at now: Instant) -> [Order] {
        switch outcome {
        case .committed(let names):
            let withdrawn = names.isEmpty ? [] : relay.handle(.namesTaken(names), at: now)
            return [.run(withdrawn + relay.handle(.committed, at: now))]
        case .refused: return [.run(relay.handle(.commitFailed(reason: Self.refusal), at: now))]
        // The state in memory may no longer be the one on disk. Peers come back with a position, hosts send again what was not acknowledged, and
        // a new core begins with the store's content: a restart without a new process.
        case .unknown:
            defer { life = .suspended }
            return [.shutOut(true), .forget, dismissal, .loadLater(after: Self.loadRetryInterval)]
        }
    }

    private mutating func loaded(_ state: LogState, _ boot: String, at now: Instant) -> [Order] {
        relay = Relay(configuration: relay.configuration, epochs: relay.epochs, state: state, boot: boot, at: now)
        life = .serving
        return [.shutOut(isLeaving), .beginAgain]
    }

    // MARK: - The end

    /// A core that serves goes on meanwhile: its batch is committed and shown.
    private mutating func leave() -> [Order] {
        isLeaving = true
        return [.shutOut(true), dismissal]
    }

    /// The batch under way is not shown any more: peers find it at the next owner.
    private mutating func end() -> [Order] {
        let orders = [.shutOut(true), .forget, dismissal]
        if backlog().isCommitting {
            life = .over(isCommitting: true)
            return orders
        }
        return orders + released()
    }

    private mutating func released() -> [Order] {
        life = .over(isCommitting: false)
        return [.release]
    }

    /// Peers of a suspended core have been dismissed.
    private var dismissal: Order {
        let peers = isServing ? relay.peers.sorted() : []
        return .dismiss(hosts: peers.filter(relay.isHost), clients: peers.filter { !relay.isHost($0) })
    }

    /// Peers that had come through the admission just before it was closed come back.
    private static func turnedAway(_ input: Input) -> [Effect] {
        switch input {
        case .hostConnected(let peer, _), .clientConnected(let peer, _), .codePresented(let peer, _, _, _, _):
            [.close(peer, .restarting)]
        default: []
        }
    }
}
