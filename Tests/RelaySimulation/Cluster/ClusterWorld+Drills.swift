/// Drills: in a world that works again one thing fails, and service has to recover while the failure lasts.
extension ClusterWorld {
    /// Milliseconds between two checks of the recovery.
    static let step: Int64 = 50

    func drill(_ drill: ClusterDrill) {
        let (victim, begun, count) = (victim, now, standing.count)
        let left = drill.leavesVictimOut ? victim : nil
        let promise = drill == .removed ? ClusterPromise.removal : .service
        let limit = (
            owned: ServiceLimits.owned(after: drill, workspaces: count),
            level: ServiceLimits.level(after: drill, nodes: nodes.count, workspaces: count)
        )
        trace.note(now, "world", "drills", "\(drill.rawValue) \(victim.name)")
        settledSince = nil
        isDrilling = true
        let impending = begin(drill, victim)
        for host in hosts { host.speak() }
        advance(until: begun + limit.owned, by: Self.step) {
            (impending() ?? ownerless(but: left)).map { (promise, "\($0) \(limit.owned) ms after a drill (\(drill.rawValue))") }
        }
        let ownedAfter = now - begun
        // Makes hosts notice broken connections now.
        for host in hosts { host.speak() }
        advance(until: begun + limit.level, by: Self.step) {
            unserved(but: left).map { (promise, "\($0) \(limit.level) ms after a drill (\(drill.rawValue))") }
        }
        drilled = ClusterSimulator.Drilled(
            drill: drill, ownedAfter: ownedAfter, levelAfter: now - begun, ownedWithin: limit.owned, levelWithin: limit.level)
        isDrilling = false
        victim.recover()
        victim.startAgain()
    }

    /// Begins a drill. Returns a function that states what still has to happen before recovery can be measured; nil if nothing has.
    private func begin(_ drill: ClusterDrill, _ victim: ClusterNode) -> () -> String? {
        let (life, timeline) = (victim.life, database.timeline)
        switch drill {
        case .killed: victim.keepDown()
        case .stopped: victim.freeze(for: Self.untilItIsOver)
        case .cutOff: victim.loseDatabase(for: Self.untilItIsOver)
        case .drained, .ended:
            if drill == .drained { victim.drain() } else { victim.stop() }
            return { victim.life == life ? "\(victim.name) has not ended" : nil }
        case .fenced:
            let fenced = dice.pick(standing)
            let generation = fenced.row.generation
            database.fence(fenced.id)
            return { fenced.row.generation == generation ? "\(fenced.id) is not fenced" : nil }
        case .unlinked: victim.unlink(for: Self.untilItIsOver)
        case .promoted:
            database.promote(after: ClusterDrill.outage)
            return { [self] in database.timeline == timeline ? "there is no database" : nil }
        case .added: addWorkspace()
        case .removed: removeWorkspace()
        }
        return { nil }
    }

    private static let untilItIsOver: Int64 = 3_600_000

    /// The first workspace without an owner. `victim` does not count as one.
    private func ownerless(but victim: ClusterNode?) -> String? {
        for workspace in standing {
            let owners = nodes.filter { $0 !== victim && $0.placement.owner(of: workspace.id) != nil }
            if owners.isEmpty { return "nobody serves \(workspace.id)" }
            if !owners.contains(where: { $0.holder == workspace.row.holder }) {
                return "\(owners[0].name) serves \(workspace.id), and its row says \(workspace.row.holder ?? "nobody")"
            }
        }
        return nil
    }

    private func unserved(but victim: ClusterNode?) -> String? {
        ownerless(but: victim) ?? leftover ?? hosts.lazy.compactMap(\.complaint).first
            ?? clients.lazy.compactMap(\.complaint).first
    }
}
