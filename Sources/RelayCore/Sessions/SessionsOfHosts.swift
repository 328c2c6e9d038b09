import RelayModel
import RelayProtocol

/// Which sessions each host has, and whether there is room for another.
struct SessionsOfHosts {
    private var byHost: [HostKey: Set<SessionKey>] = [:]

    subscript(host: HostKey) -> Set<SessionKey> { byHost[host] ?? [] }

    mutating func add(_ session: SessionKey, of host: HostKey) { byHost[host, default: []].insert(session) }

    mutating func remove(_ session: SessionKey, of host: HostKey) { byHost[host]?.remove(session) }

    /// Those that have no room for another, with how many they have.
    func full(_ quotas: Quotas) -> [HostKey: Int] {
        byHost.filter { quotaReached(byAnotherOf: $0.key, quotas) != nil }.mapValues(\.count)
    }

    /// Nil where there is room.
    func quotaReached(byAnotherOf host: HostKey, _ quotas: Quotas) -> Quota? {
        if self[host].count >= quotas.sessionsPerHost { return .sessionsPerHost }
        let ofWorkspace = byHost.reduce(0) { $0 + ($1.key.workspace == host.workspace ? $1.value.count : 0) }
        return ofWorkspace >= quotas.sessionsPerWorkspace ? .sessionsPerWorkspace : nil
    }
}
