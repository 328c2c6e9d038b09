/// The workspaces that a node owns among several nodes, and the nodes to which it has links. Pure: the clock and the database's state are
/// arguments. See decision record 0086.
///
/// Safety is not ensured here: a node that wrongly believes that it owns a workspace is fenced at its first commit of it. This machine
/// ensures that some node takes over soon, that not all try at once, that workspaces move one after the other to the nodes that they
/// belong to, and that peers find the owner.
package struct PlacementMachine {
    package enum Fact: Sendable {
        case looked(PlacementView)
        /// The claim that was ordered came through, and the workspace is loaded.
        case claimed(String)
        /// Another was quicker, or the database did not take it; or it cannot be loaded, and its row was set free again.
        case claimFailed(String)
        /// The workspace that was being handed over is free, or was lost meanwhile.
        case handedOver(String)
        /// A commit was refused as another's.
        case lost(String)
        /// To this holder; or it never opened.
        case linkEnded(String)
        /// This node should end, and leave its workspaces to others first.
        case drainOrdered
        /// This node ends now.
        case stopOrdered
    }

    package enum Order: Sendable, Equatable {
        /// Take it over from this generation, and load it. Answered by `claimed` or `claimFailed`.
        case claim(String, generation: Int64)
        /// Take nothing more in for it, wait for its commit, set its row free if there is one, and send its peers away. Answered by
        /// `handedOver`.
        case handOver(String)
        /// Another node owns it: drop its state in memory. There is no answer.
        case drop(String)
        /// Say that this node is alive. There is no answer.
        case renew
        /// Open a link. Answered by `linkEnded`, once.
        case dial(NodeAddress)
        /// This owner speaks another version of links, so that this node cannot serve peers of its workspaces. Reported once for each
        /// owner.
        case tellOfVersion(NodeAddress)
        /// End the link to this holder, open or not. Answered by `linkEnded`.
        case hangUp(String)
        /// Nothing is owned any more, or no other node could take it.
        case leave
    }

    /// A quarter of the time after which others take a node for dead.
    package static let renewalInterval: Int64 = 2_000
    /// Time for which a node leaves a free workspace to the node that it belongs to: one look of that node, and a claim.
    package static let courtesy: Int64 = 1_000
    /// After a claim that failed, so that another that sees it free for `courtesy` comes first: this node may not be able to load it.
    package static let claimRetryInterval: Int64 = 3_000
    /// Between two tries to reach an owner that is alive and does not answer.
    package static let dialInterval: Int64 = 500
    /// Between two workspaces that a node hands over because it has more than its share.
    package static let handOverInterval: Int64 = 10_000
    /// A workspace that comes back within this was not taken by the node that has room for it…
    package static let returnMax: Int64 = 30_000
    /// … and its owner hands nothing over for this long.
    package static let stay: Int64 = 600_000
    /// Each is a load. Further claims wait for the next look.
    package static let claimsAtOnceMax = 8

    private enum Part {
        /// Since when this generation is seen without a living owner, or with this process as one; nil: it is not. Not claimed as a free one
        /// before `from`. Becomes `claiming`.
        case foreign(Sighting?, from: Int64 = .min)
        /// The database is asked. Becomes `owned` or `foreign`.
        case claiming(over: Int64)
        /// Since the claim over that generation. Becomes `leaving`, or `foreign` if it is lost. Not handed over before `until`, except to
        /// end.
        case owned(over: Int64, until: Int64)
        /// Is being handed over. Becomes `foreign`.
        case leaving
    }

    private struct Sighting {
        let generation: Int64
        let since: Int64
    }

    private enum Link {
        /// Not before this time is one dialled again. Becomes `toward`.
        case none(until: Int64)
        /// Dialled, or open. Becomes `none`.
        case toward(isEnding: Bool)
    }

    private enum Life {
        /// Becomes `draining` or `ended`.
        case serving
        /// Becomes `ended`.
        case draining
        case ended
    }

    private let holder: String
    private var life = Life.serving
    private var parts: [String: Part] = [:]
    /// When each was handed over, for as long as that matters.
    private var handedOver: [String: Int64] = [:]
    /// Nothing is handed over before, but to end; nil: nothing was yet.
    private var handsOverFrom: Int64?
    private var links: [String: Link] = [:]
    private var renewedAt: Int64?
    private var toldHolders: Set<String> = []
    private var orders: [Order] = []

    /// `holder` names the process.
    package init(holder: String) { self.holder = holder }

    /// Workspaces that this node serves itself.
    package var owned: Set<String> {
        Set(parts.compactMap { scope, part in if case .owned = part { scope } else { nil } })
    }

    /// `now` is in milliseconds, by a clock that is never set.
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
        // A hand-over under way ends as planned.
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
        // A fixed order of a node's own: otherwise all nodes would try the same free workspace first.
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
        // A look may be older than the claim that came through meanwhile.
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
        // A claim may have come through without an answer, and no other node takes over from one that lives. Seen once, it may be a
        // workspace that was handed over since the look began.
        if row.holder == holder { return last != nil }
        guard now >= from else { return false }
        if shares.place(ofFree: row.scope) == holder { return true }
        return last.map { now - $0 >= Self.courtesy } ?? false
    }

    private var claimsUnderWay: Int {
        parts.values.reduce(0) { count, part in if case .claiming = part { count + 1 } else { count } }
    }

    /// One at a time.
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
            // A node whose lease has expired, as it was stopped for a while, does not count itself: nothing can be concluded before it
            // does.
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
            // A claim under way is awaited: its workspace has to be handed over, too.
            guard claimsUnderWay == 0 else { return }
            guard let next = owned.min(), !able.isEmpty else { return stop() }
            leave(next)
        }
    }

    /// Workspaces that belong to another node go first: they would go there, too, if this node ended.
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
            // An owner that was stopped keeps its link, and one that owns nothing any more has no peers of ours.
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
