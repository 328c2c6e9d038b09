import RelayModel
import RelayProtocol

/// Sessions whose budget is spent: their hosts have every tool asked for.
extension Relay {
    /// Says what of this host is held, unless it was said. Derived from what is on disk whenever it is asked for: it cannot be
    /// lost on the way.
    mutating func sayHolds(to peer: PeerID) {
        guard let host = presence.hosts[peer], host.hasSaidHello, host.capabilities.contains(.hold) else { return }
        let holds = holds(of: host.key)
        guard holds != budgets.holdsTold[peer] else { return }
        budgets.holdsTold[peer] = holds
        send(.hold(holds), toHost: peer)
    }

    private func holds(of host: HostKey) -> Holds {
        guard let book = budgets.books[host.workspace] else { return Holds() }
        if book.isHolding(on: budgets.today) { return Holds(everySession: true) }
        // Also those that have ended: an agent can go on with one.
        let held = (sessionsOfHosts[host] ?? []).filter { key in
            guard let summary = shown[key]?.summary else { return false }
            return book.isHolding(key.session, at: summary.costMicroUSD ?? 0)
        }
        if held.count > WireLimits.heldSessionsMax { return Holds(everySession: true) }
        return Holds(sessions: Set(held.map(\.session)))
    }

    /// By name: hosts of an older version, or whose agents cannot be held.
    func hostsThatCannotHold(_ budget: Budget, _ workspace: WorkspaceID) -> [String] {
        guard budget.holds else { return [] }
        var names: Set<String> = []
        for host in presence.hosts.values where host.hasSaidHello && host.key.workspace == workspace {
            if case .session(let session) = budget.scope,
                sessionsOfHosts[host.key]?.contains(SessionKey(workspace: workspace, session: session)) != true
            {
                continue
            }
            if !host.capabilities.contains(.hold) { names.insert(host.identity.host.name) }
        }
        return names.sorted()
    }
}
