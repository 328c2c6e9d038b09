/// Which part a node has among several: edge, or owner. Pure: the clock and the database's word come in.
///
/// Safety is not here: a node that wrongly believes it is the owner is fenced at its first commit. What is here is that somebody takes over
/// soon, that not all try at once, and that edges find the owner.
package struct ClusterMachine {
    package enum Fact: Sendable {
        case looked(ClusterView)
        /// The claim that was ordered came through.
        case claimed
        /// Another was quicker, or the database did not take it.
        case claimFailed
        /// Or it never opened.
        case linkEnded
        /// This node shall end.
        case stopOrdered
    }

    package enum Order: Sendable, Equatable {
        /// Take the log over from this generation. Answered by `claimed` or `claimFailed`.
        case claim(generation: Int64)
        /// Say that this node is alive. There is no answer.
        case renew
        /// Open the link. Answered by `linkEnded`, once.
        case dial(NodeAddress)
        /// This owner speaks another version of links, so this node serves nobody. Told once for each owner.
        case tellOfVersion(NodeAddress)
        /// End the link, open or not. Answered by `linkEnded`.
        case hangUp
        /// Load, and serve as the owner.
        case serve
        case leave
    }

    /// A quarter of the time after which others take a node for dead.
    package static let renewalInterval: Int64 = 2_000
    /// How long a node that is not the preferred one leaves the log to that one: a look of its, and a claim.
    package static let courtesy: Int64 = 1_000
    /// Between two tries to reach an owner that is alive and does not answer.
    package static let dialInterval: Int64 = 500

    private enum State {
        /// Carries messages, if there is an owner to carry them to. Becomes `claiming` or `ended`.
        case edge(Link)
        /// The database is asked; the link of before may not have ended yet. Becomes `edge`, `owner` or `ended`.
        case claiming(Link)
        /// For good: an owner that is none any more ends.
        case owner
        case ended
    }

    private enum Link {
        /// Not before this time is one dialled again. Becomes `toward`.
        case none(until: Int64)
        /// Dialled, or open. Becomes `none`.
        case toward(holder: String)
    }

    private let holder: String
    private let name: String
    private var state = State.edge(.none(until: .min))
    private var renewedAt: Int64?
    /// Since when this generation is seen without a living owner.
    private var free: (generation: Int64, since: Int64)?
    /// Whose version of links was told of.
    private var toldHolder: String?
    private var orders: [Order] = []

    /// `holder` names the process, `name` the node.
    package init(holder: String, name: String) {
        self.holder = holder
        self.name = name
    }

    /// `now` is in milliseconds, by a clock that is never set.
    package mutating func handle(_ fact: Fact, at now: Int64) -> [Order] {
        switch (state, fact) {
        case (.ended, _), (.owner, .looked), (.owner, .claimed), (.owner, .claimFailed): break
        case (_, .stopOrdered): stop()
        case (.edge(let link), .looked(let view)): looked(view, link, at: now)
        case (.claiming, .looked): renew(at: now)
        case (.claiming, .claimed):
            state = .owner
            orders.append(.serve)
        case (.claiming(let link), .claimFailed): state = .edge(link)
        case (.edge(.toward), .linkEnded): state = .edge(.none(until: now + Self.dialInterval))
        case (.claiming(.toward), .linkEnded): state = .claiming(.none(until: now + Self.dialInterval))
        case (.edge, .claimed), (.edge, .claimFailed): preconditionFailure("only a claim that was ordered is answered")
        case (_, .linkEnded): break
        }
        defer { orders = [] }
        return orders
    }

    private mutating func looked(_ view: ClusterView, _ link: Link, at now: Int64) {
        renew(at: now)
        // A claim may have come through without a word of it: nobody else takes over from a node that lives.
        let isOwn = view.holder == holder
        guard view.isFree || isOwn else {
            free = nil
            return follow(view.owner, link, at: now)
        }
        if free?.generation != view.generation { free = (view.generation, now) }
        // An owner that was stopped keeps its link.
        if case .toward = link { orders.append(.hangUp) }
        let since = free?.since ?? now
        guard isOwn || preferred(among: view.nodes) == holder || now - since >= Self.courtesy else { return }
        state = .claiming(link)
        orders.append(.claim(generation: view.generation))
    }

    private mutating func follow(_ owner: NodeAddress?, _ link: Link, at now: Int64) {
        switch link {
        // The other end went with its process.
        case .toward(let other): if other != owner?.holder { orders.append(.hangUp) }
        case .none(let until):
            guard let owner, now >= until else { return }
            guard owner.version == NodeLinkProtocol.version else { return tellOfVersion(owner) }
            state = .edge(.toward(holder: owner.holder))
            orders.append(.dial(owner))
        }
    }

    private mutating func tellOfVersion(_ owner: NodeAddress) {
        guard toldHolder != owner.holder else { return }
        toldHolder = owner.holder
        orders.append(.tellOfVersion(owner))
    }

    private mutating func renew(at now: Int64) {
        if let renewedAt, now - renewedAt < Self.renewalInterval { return }
        renewedAt = now
        orders.append(.renew)
    }

    private mutating func stop() {
        if case .edge(.toward) = state { orders.append(.hangUp) }
        state = .ended
        orders.append(.leave)
    }

    // MARK: - Placement

    /// Rendezvous hashing: each node has a number for the log, and the highest has it. When one comes or goes, only what was its moves. Nil
    /// where no node is known.
    private func preferred(among nodes: [ClusterView.Node]) -> String? {
        nodes.max { Self.order($0) < Self.order($1) }?.holder
    }

    private static func order(_ node: ClusterView.Node) -> (UInt64, String) { (hash(node.name), node.holder) }

    /// FNV-1a: any that is the same on all nodes will do.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
