package import RelayCore
package import RelayModel
package import RelayProtocol

/// A core within a process. It accepts facts while its state matches the store's; when the store's content is unknown, it
/// disconnects all peers and starts again from what is stored. Pure: the clock and the store's answers are arguments.
///
/// Every other input is passed to the core, and the relay's effects are returned unchanged (`handle(_ input:)`). The rest is its
/// life: facts about the store and the process, and orders for both.
package struct CoreMachine {
    package enum Fact: Sendable {
        /// The commit of the core's last batch has ended.
        case commitEnded(CommitTries.Outcome)
        /// The wait of `loadLater` has ended.
        case loadFellDue
        /// `boot`: identifies the machine's start, from which the steady clock counts.
        case loaded(LogState, boot: String)
        case loadFailed
        /// The process ends, and another one starts soon.
        case leaveOrdered
        /// Another node owns the core's workspaces, or is about to.
        case endOrdered
    }

    package enum Order: Sendable {
        /// Carry out the core's own effects.
        case run([Effect])
        /// True: refuse new peers; false: accept them again.
        case shutOut(Bool)
        /// Disconnect these, spread over time (`ReturnWindow`). They reconnect with their positions.
        case dismiss(hosts: [PeerID], clients: [PeerID])
        /// Discard the core's timers, reads and pushes: their answers are not delivered any more.
        case forget
        /// Answered by `loadFellDue`.
        case loadLater(after: Int64)
        /// Load what is stored. Answered by `loaded` or `loadFailed`.
        case load
        /// Call `beginAgain`: the core has loaded what is stored, and peers may reconnect.
        case beginAgain
        /// No batch is being committed, and none will be: release the core's workspaces for another node.
        case release
    }

    private enum Life {
        /// The core's state matches the store's. Becomes `suspended` or `over`.
        case serving
        /// The store's content is unknown, and no peer is connected. Becomes `serving` or `over`.
        case suspended
        /// The core has ended, and accepts no input. `isCommitting`: true while its last batch is under way.
        case over(isCommitting: Bool)
    }

    /// Wait after a failed load, in milliseconds.
    package static let loadRetryInterval: Int64 = 1_000
    private static let refusal = "the relay's store takes no writes; try again"

    package private(set) var relay: Relay
    private var life = Life.serving
    private var isLeaving = false
    /// Clients that have a token, as last reported; nil: all. Kept for the next core.
    private var holders: Set<ClientKey>?
    /// Removed workspaces that were reported. Kept for the next core.
    private var removedWorkspaces: Set<WorkspaceID> = []
    /// Limits of single workspaces, as last reported. Kept for the next core.
    private var limits: [WorkspaceID: WorkspaceLimits] = [:]

    /// Call `begin` before anything else.
    package init(_ relay: Relay) { self.relay = relay }

    /// True if the core's state matches the store's. Answers to requests of an earlier core are not for this one.
    package var isServing: Bool { if case .serving = life { true } else { false } }

    /// Like `Relay.backlog`; empty if the core is not serving.
    package mutating func backlog() -> Relay.Backlog { isServing ? relay.backlog() : Relay.Backlog() }

    /// See `Relay.prepare`.
    package mutating func prepare() { relay.prepare() }

    /// `holders`: the clients that have a token; nil: all. `limits`: those of single workspaces.
    package mutating func begin(
        at now: Instant, holders: Set<ClientKey>?, limits: [WorkspaceID: WorkspaceLimits] = [:]
    ) -> [Effect] {
        self.holders = holders
        self.limits = limits
        return beginAgain(at: now)
    }

    /// Carries out `Order.beginAgain`.
    package mutating func beginAgain(at now: Instant) -> [Effect] {
        var effects = relay.started(at: now, holders: holders, limits: limits)
        // An earlier run may not have completed their removal.
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
        // The process has ended it while an answer was under way.
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
        // The state in memory may differ from the store's. Peers reconnect with their positions, hosts send again what was not
        // acknowledged, and a new core starts from the store's content: a restart without a new process.
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

    /// Disconnects the peers. A serving core otherwise continues: its batch is committed and shown.
    private mutating func leave() -> [Order] {
        isLeaving = true
        return [.shutOut(true), dismissal]
    }

    /// Ends the core. The batch under way is not shown any more: peers get it from the next owner.
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

    /// The order that disconnects all peers. Those of a suspended core were disconnected before.
    private var dismissal: Order {
        let peers = isServing ? relay.peers.sorted() : []
        return .dismiss(hosts: peers.filter(relay.isHost), clients: peers.filter { !relay.isHost($0) })
    }

    /// Disconnects peers that passed admission just before it was closed; they reconnect.
    private static func turnedAway(_ input: Input) -> [Effect] {
        switch input {
        case .hostConnected(let peer, _), .clientConnected(let peer, _), .codePresented(let peer, _, _, _, _):
            [.close(peer, .restarting)]
        default: []
        }
    }
}
