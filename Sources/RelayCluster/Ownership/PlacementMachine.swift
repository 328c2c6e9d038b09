/// The workspaces that a node owns among several nodes, and the nodes to which it has links. Pure: the clock and the database's
/// state are arguments. See decision record 0086.
///
/// Safety is not ensured here: a node that wrongly believes that it owns a workspace is fenced at its first commit of it. This
/// machine ensures that some node takes over soon, that not all try at once, that workspaces move one after the other to the nodes
/// that they belong to, and that peers find the owner.
package struct PlacementMachine {
    package enum Fact: Sendable {
        case looked(PlacementView)
        /// The ordered claim succeeded, and the workspace is loaded.
        case claimed(String)
        /// The ordered claim failed: another node was faster, the database refused, or the workspace could not be loaded, and its
        /// row was released.
        case claimFailed(String)
        /// The hand-over has ended: the workspace is free, or was lost meanwhile.
        case handedOver(String)
        /// A commit was refused, because another node owns the workspace.
        case lost(String)
        /// The link to this holder ended, or never opened.
        case linkEnded(String)
        /// This node should end, after handing its workspaces over.
        case drainOrdered
        /// This node ends now.
        case stopOrdered
    }

    package enum Order: Sendable, Equatable {
        /// Claim the workspace if it still has this generation, and load it. Answered by `claimed` or `claimFailed`.
        case claim(String, generation: Int64)
        /// Accept no more input for the workspace, wait for its commit, release its row if there is one, and disconnect its peers.
        /// Answered by `handedOver`.
        case handOver(String)
        /// Another node owns the workspace: drop its state in memory. Not answered.
        case drop(String)
        /// Renew this node's lease. Not answered.
        case renew
        /// Open a link. `linkEnded` follows once.
        case dial(NodeAddress)
        /// Report once for each owner that it has another version of links, so that this node cannot serve peers of its workspaces.
        case tellOfVersion(NodeAddress)
        /// Close the link to this holder, open or not. Answered by `linkEnded`.
        case hangUp(String)
        /// End the process: it owns nothing any more, or no other node could take over.
        case leave
    }

    /// Interval of renewals in milliseconds: a quarter of the time after which others take a node for dead.
    package static let renewalInterval: Int64 = 2_000
    /// Time for which a free workspace is left to the node that it belongs to, in milliseconds: enough for one look of that node,
    /// and a claim.
    package static let courtesy: Int64 = 1_000
    /// Wait after a failed claim, in milliseconds: longer than `courtesy`, so that another node can claim first, as this one may
    /// not be able to load the workspace.
    package static let claimRetryInterval: Int64 = 3_000
    /// Interval between attempts to reach an owner that is alive and does not answer, in milliseconds.
    package static let dialInterval: Int64 = 500
    /// Interval between two workspaces that a node hands over because it has more than its share, in milliseconds.
    package static let handOverInterval: Int64 = 10_000
    /// Time in milliseconds within which a workspace that was handed over comes back if the node that has room for it did not take
    /// it.
    package static let returnMax: Int64 = 30_000
    /// Time for which the owner of such a workspace hands nothing over, in milliseconds.
    package static let stay: Int64 = 600_000
    /// Claims at the same time, each of which loads a workspace. Further claims wait for the next look.
    package static let claimsAtOnceMax = 8

    private enum Part {
        /// Not owned here. `Sighting`: since when this generation has been seen without a living owner, or with this process as
        /// owner; nil if it has one. Not claimed as free before `from`. Becomes `claiming`.
        case foreign(Sighting?, from: Int64 = .min)
        /// A claim is under way. Becomes `owned` or `foreign`.
        case claiming(over: Int64)
        /// Owned since the claim over that generation. Becomes `leaving`, or `foreign` if it is lost. Not handed over before
        /// `until`, except when this node ends.
        case owned(over: Int64, until: Int64)
        /// Being handed over. Becomes `foreign`.
        case leaving
    }

    private struct Sighting {
        let generation: Int64
        let since: Int64
    }

    private enum Link {
        /// No link; none is opened before `until`. Becomes `toward`.
        case none(until: Int64)
        /// A link that is being opened, or is open. Becomes `none`.
        case toward(isEnding: Bool)
    }

    private enum Life {
        /// In service. Becomes `draining` or `ended`.
        case serving
        /// Handing its workspaces over before it ends. Becomes `ended`.
        case draining
        case ended
    }

    private let holder: String
    private var life = Life.serving
    private var parts: [String: Part] = [:]
    /// Time at which each workspace was handed over, kept as long as it matters.
    private var handedOver: [String: Int64] = [:]
    /// Earliest time of the next hand-over, except when this node ends; nil if there was none yet.
    private var handsOverFrom: Int64?
    private var links: [String: Link] = [:]
    private var renewedAt: Int64?
    private var toldHolders: Set<String> = []
    private var orders: [Order] = []

    /// `holder`: identifies the process.
    package init(holder: String) { self.holder = holder }

    /// Workspaces that this node owns.
    package var owned: Set<String> {
        Set(parts.compactMap { scope, part in if case .owned = part { scope } else { nil } })
    }

    /// `now`: milliseconds of a clock that is never set.
    package mutating func handle(_ fact: Fact, at now: Int64) -> [Order] {
        switch (life, fact) {
        case (.ended, _): break
        case (_, .looked(let view)): looked(view, at: now)
        case (_, .claimed(let scope)): claimed(scope, at: now)
        case (_, .claimFailed(let scope)):
            if case .claiming = parts[scope] { parts[scope] = .foreign(nil, from: now + Self.claimRetryInterval) }
        case (_, .handedOver(let scope)): wasHandedOver(scope, at: now)
        case (_, .lost(let scope)): lost(scope)
        case (_, .linkEnded(let other)): if links[other] != nil { links[other] = Link.none(until: now + Self.dialInterval) }
        case (.serving, .drainOrdered): life = .draining
        case (.draining, .drainOrdered): break
        case (_, .stopOrdered): stop()
        }
        defer { orders = [] }
        return orders
    }

    // MARK: - What becomes of a workspace

    private mutating func claimed(_ scope: String, at now: Int64) {
        guard case .claiming(let generation) = parts[scope] else {
            preconditionFailure("only a claim that was ordered is answered")
        }
        let cameBack = handedOver.removeValue(forKey: scope).map { now - $0 < Self.returnMax } ?? false
        if cameBack { handsOverFrom = now + Self.stay }
        parts[scope] = .owned(over: generation, until: now + Self.handOverInterval)
    }

    private mutating func wasHandedOver(_ scope: String, at now: Int64) {
        guard case .leaving = parts[scope] else { return }
        parts[scope] = .foreign(nil)
        handedOver[scope] = now
    }

    private mutating func lost(_ scope: String) {
        switch parts[scope] {
        case .owned:
            parts[scope] = .foreign(nil)
            orders.append(.drop(scope))
        // A hand-over under way continues.
        case .leaving, .claiming, .foreign, nil: break
        }
    }

    private mutating func stop() {
        for (other, link) in links.sorted(by: { $0.key < $1.key }) {
            if case .toward(isEnding: false) = link { orders.append(.hangUp(other)) }
        }
        life = .ended
        orders.append(.leave)
    }

    // MARK: - Looking

    private mutating func looked(_ view: PlacementView, at now: Int64) {
        if renewedAt.map({ now - $0 >= Self.renewalInterval }) ?? true {
            renewedAt = now
            orders.append(.renew)
        }
        handedOver = handedOver.filter { now - $0.value < Self.returnMax }
        toldHolders.formIntersection(view.nodes.map(\.holder))
        forgetForeign(but: view.scopes)
        let candidates = view.nodes.filter { !view.leaving.contains($0.holder) && ($0.holder != holder || isServing) }
        var claims = claimsUnderWay
        let shares = Shares(view, among: candidates)
        // First the workspaces that belong to this node, then the others: otherwise all nodes would try the same free workspace
        // first.
        let rows = view.rows.sorted { $0.scope < $1.scope }
        for row in rows where shares.place(ofFree: row.scope) == holder { looked(row, shares, &claims, at: now) }
        for row in rows where shares.place(ofFree: row.scope) != holder { looked(row, shares, &claims, at: now) }
        handOver(view, candidates, shares, at: now)
        link(view, at: now)
    }

    private var isServing: Bool { if case .serving = life { true } else { false } }

    private mutating func forgetForeign(but scopes: Set<String>) {
        parts = parts.filter { scope, part in
            if case .foreign = part { scopes.contains(scope) } else { true }
        }
    }

    private mutating func looked(_ row: PlacementView.Row, _ shares: Shares, _ claims: inout Int, at now: Int64) {
        switch parts[row.scope] ?? .foreign(nil) {
        case .claiming, .leaving: break
        // The look may be older than a claim that succeeded meanwhile.
        case .owned(let generation, _): if row.holder != holder, row.generation > generation { lost(row.scope) }
        case .foreign(let sighting, let from):
            let isOwn = row.holder == holder
            guard row.isFree || isOwn else { return parts[row.scope] = .foreign(nil) }
            let last = sighting?.generation == row.generation ? sighting?.since : nil
            parts[row.scope] = .foreign(Sighting(generation: row.generation, since: last ?? now), from: from)
            guard isServing, claims < Self.claimsAtOnceMax, isTurn(row, since: last, from, shares, at: now) else { return }
            claims += 1
            parts[row.scope] = .claiming(over: row.generation)
            orders.append(.claim(row.scope, generation: row.generation))
        }
    }

    /// True if this node should claim the workspace. `last`: since when earlier looks saw the same.
    private func isTurn(_ row: PlacementView.Row, since last: Int64?, _ from: Int64, _ shares: Shares, at now: Int64) -> Bool {
        // A claim of this node may have succeeded without an answer, and no other node takes over from a living one. If seen only
        // once, it may be a workspace that was handed over since the look began.
        if row.holder == holder { return last != nil }
        guard now >= from else { return false }
        if shares.place(ofFree: row.scope) == holder { return true }
        return last.map { now - $0 >= Self.courtesy } ?? false
    }

    private var claimsUnderWay: Int {
        parts.values.reduce(0) { count, part in if case .claiming = part { count + 1 } else { count } }
    }

    /// Hands over at most one workspace.
    private mutating func handOver(
        _ view: PlacementView, _ candidates: [NodeAddress], _ shares: Shares, at now: Int64
    ) {
        let isLeaving = parts.values.contains { if case .leaving = $0 { true } else { false } }
        guard !isLeaving else { return }
        let able = candidates.filter { $0.version == NodeLinkProtocol.version }
        switch life {
        case .ended: break
        case .serving:
            // The workspace was removed, and its rows have been deleted.
            if let gone = owned.subtracting(view.scopes).min() { return leave(gone) }
            // A node whose lease has expired, because it was stopped for a while, is not among the candidates: nothing can be
            // concluded then.
            guard candidates.contains(where: { $0.holder == holder }) else { return }
            guard shares.isOverfull(holder), handsOverFrom.map({ now >= $0 }) ?? true else { return }
            for row in byWorth(view.rows, candidates) {
                guard case .owned(_, let until) = parts[row.scope], now >= until,
                    let place = shares.place(for: row), able.contains(where: { $0.holder == place })
                else { continue }
                handsOverFrom = now + Self.handOverInterval
                return leave(row.scope)
            }
        case .draining:
            // A claim under way is waited for, as its workspace has to be handed over too.
            guard claimsUnderWay == 0 else { return }
            guard let next = owned.min(), !able.isEmpty else { return stop() }
            leave(next)
        }
    }

    /// Candidates for a hand-over, workspaces that belong to another node first: those would move there anyway if this node ended.
    private func byWorth(_ rows: [PlacementView.Row], _ candidates: [NodeAddress]) -> [PlacementView.Row] {
        let sorted = rows.sorted { $0.scope < $1.scope }
        func isOwn(_ row: PlacementView.Row) -> Bool { Rendezvous.preferred(for: row.key, among: candidates) == holder }
        return sorted.filter { !isOwn($0) } + sorted.filter(isOwn)
    }

    private mutating func leave(_ scope: String) {
        parts[scope] = .leaving
        orders.append(.handOver(scope))
    }

    // MARK: - Links

    private mutating func link(_ view: PlacementView, at now: Int64) {
        if case .ended = life { return }
        let owners = Set(view.rows.compactMap { $0.isFree ? nil : $0.holder }).subtracting([holder])
        for (other, link) in links.sorted(by: { $0.key < $1.key }) where !owners.contains(other) {
            switch link {
            // Ends links to nodes that own nothing: they have no peers of ours. A node that was stopped keeps its link while it
            // owns workspaces.
            case .toward(isEnding: false):
                links[other] = .toward(isEnding: true)
                orders.append(.hangUp(other))
            case .toward(isEnding: true): break
            case .none: links[other] = nil
            }
        }
        for node in view.nodes.sorted(by: { $0.holder < $1.holder }) where owners.contains(node.holder) {
            dial(node, at: now)
        }
    }

    private mutating func dial(_ node: NodeAddress, at now: Int64) {
        switch links[node.holder] {
        case .toward: return
        case .none(let until)?: if now < until { return }
        case nil: break
        }
        guard node.version == NodeLinkProtocol.version else {
            if toldHolders.insert(node.holder).inserted { orders.append(.tellOfVersion(node)) }
            return
        }
        links[node.holder] = .toward(isEnding: false)
        orders.append(.dial(node))
    }
}
