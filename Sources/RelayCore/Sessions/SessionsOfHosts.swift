import RelayModel
import RelayProtocol

/// Each host's sessions, their memory, and whether there is room for more.
struct SessionsOfHosts {
    private let quotas: Quotas
    private var byHost: [HostKey: Holding] = [:]
    private var bytesOfWorkspaces: [WorkspaceID: Int] = [:]
    /// Workspaces that keep all they may, and those of which a host does: nearly always none, and asked with every message.
    private var crowded: Set<WorkspaceID> = []

    private struct Holding {
        var sessions: Set<SessionKey> = []
        var bytes = 0
    }

    init(_ quotas: Quotas) { self.quotas = quotas }

    subscript(host: HostKey) -> Set<SessionKey> { byHost[host]?.sessions ?? [] }

    mutating func add(_ session: SessionKey, of host: HostKey) { byHost[host, default: Holding()].sessions.insert(session) }

    /// `bytes`: what was counted for it.
    mutating func remove(_ session: SessionKey, of host: HostKey, keeping bytes: Int) {
        byHost[host]?.sessions.remove(session)
        count(-bytes, of: host)
        if byHost[host]?.sessions.isEmpty == true { byHost[host] = nil }
    }

    /// A session keeps so many bytes more than were counted for it.
    mutating func count(_ bytes: Int, of host: HostKey) {
        byHost[host]?.bytes += bytes
        bytesOfWorkspaces[host.workspace, default: 0] += bytes
        let ofWorkspace = bytesOfWorkspaces[host.workspace, default: 0]
        if isFull(host) || ofWorkspace >= quotas.sessionMegabytesPerWorkspace << 20 {
            crowded.insert(host.workspace)
        } else if crowded.contains(host.workspace),
            !byHost.keys.contains(where: { $0.workspace == host.workspace && isFull($0) })
        {
            crowded.remove(host.workspace)
        }
        if ofWorkspace == 0 { bytesOfWorkspaces[host.workspace] = nil }
    }

    private func isFull(_ host: HostKey) -> Bool { bytes(of: host) >= quotas.sessionMegabytesPerHost << 20 }

    private func bytes(of host: HostKey) -> Int { byHost[host]?.bytes ?? 0 }

    // MARK: - Room

    /// The number of sessions that each host is to give up if there is no room for another: a part of its own where it has no room itself, and
    /// what it has beyond its fair share where its workspace has none.
    var excess: [HostKey: Int] {
        var excess: [HostKey: Int] = [:]
        for (host, holding) in byHost
        where holding.sessions.count >= quotas.sessionsPerHost || quotaReached(byMoreOf: host) != nil {
            excess[host] = max(1, holding.sessions.count / Limits.roomShare)
        }
        for (workspace, hosts) in Dictionary(grouping: byHost.keys, by: \.workspace) {
            let counts = Dictionary(uniqueKeysWithValues: hosts.map { ($0, Int64(byHost[$0]?.sessions.count ?? 0)) })
            let countMax = quotas.sessionsPerWorkspace
            guard countOfSessions(in: workspace) >= countMax else { continue }
            let kept = Int64(countMax - max(1, countMax / Limits.roomShare))
            for (host, count) in FairShare.excess(of: counts, above: kept) {
                excess[host] = max(excess[host, default: 0], Int(count))
            }
        }
        return excess
    }

    private func countOfSessions(in workspace: WorkspaceID) -> Int {
        byHost.reduce(0) { $0 + ($1.key.workspace == workspace ? $1.value.sessions.count : 0) }
    }

    /// Nil if there is room for another session.
    func quotaReached(byAnotherOf host: HostKey) -> Quota? {
        if self[host].count >= quotas.sessionsPerHost { return .sessionsPerHost }
        if countOfSessions(in: host.workspace) >= quotas.sessionsPerWorkspace { return .sessionsPerWorkspace }
        return quotaReached(byMoreOf: host)
    }

    /// Nil if a session of this host may keep more than it does. In a workspace that is full, a host with less than an equal share goes on:
    /// what others keep costs it nothing.
    func quotaReached(byMoreOf host: HostKey) -> Quota? {
        guard crowded.contains(host.workspace) else { return nil }
        if isFull(host) { return .sessionMegabytesPerHost }
        let max = quotas.sessionMegabytesPerWorkspace << 20
        guard bytesOfWorkspaces[host.workspace, default: 0] >= max else { return nil }
        let hosts = byHost.keys.count { $0.workspace == host.workspace }
        return bytes(of: host) >= max / hosts ? .sessionMegabytesPerWorkspace : nil
    }

    // MARK: - Counting

    /// What is counted is what these sessions keep.
    func isMiscounted(_ kept: some Sequence<(host: HostKey, bytes: Int)>) -> Bool {
        var expected: [HostKey: Int] = [:]
        for (host, bytes) in kept { expected[host, default: 0] += bytes }
        return expected != byHost.mapValues(\.bytes)
    }
}
