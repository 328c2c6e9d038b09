import RelayModel
import RelayProtocol

/// Each host's sessions, with their memory and bytes of events, and whether the limits allow more.
struct SessionsOfHosts {
    private let quotas: Quotas
    private var allowances: Allowances
    private var byHost: [HostKey: Holding] = [:]
    /// Memory of the sessions, in bytes.
    private(set) var bytesOfWorkspaces: [WorkspaceID: Int] = [:]
    private var eventsOfWorkspaces: [WorkspaceID: Int64] = [:]
    /// Workspaces that have reached their limit for memory, or in which a host has. Nearly always none; checked with every message.
    private var crowded: Set<WorkspaceID> = []
    /// Workspaces from which retention should remove events. Nearly always none.
    private(set) var overfull: Set<WorkspaceID> = []
    /// The host whose events were counted last: messages of one host come in sequences. Nil once an entry was added or removed.
    private var latest: Counted?

    private struct Holding {
        var sessions: Set<SessionKey> = []
        var bytes = 0
        /// Bytes of events that are counted for the host.
        var events: Int64 = 0
    }

    /// A host with the places of its entries, which are found without hashing names.
    private struct Counted {
        let host: HostKey
        let held: Dictionary<HostKey, Holding>.Index
        let ofWorkspace: Dictionary<WorkspaceID, Int64>.Index
    }

    init(_ quotas: Quotas, _ allowances: Allowances) {
        self.quotas = quotas
        self.allowances = allowances
    }

    mutating func allow(_ allowances: Allowances) {
        self.allowances = allowances
        for (workspace, held) in eventsOfWorkspaces { judgeEvents(of: workspace, held: held) }
        crowded = Set(bytesOfWorkspaces.filter { $0.value >= allowances.sessionBytesMax(in: $0.key) }.keys)
        for host in byHost.keys where isFull(host) { crowded.insert(host.workspace) }
    }

    subscript(host: HostKey) -> Set<SessionKey> { byHost[host]?.sessions ?? [] }

    mutating func add(_ session: SessionKey, of host: HostKey) {
        latest = nil
        byHost[host, default: Holding()].sessions.insert(session)
    }

    /// `bytes` and `events`: what was counted for the session.
    mutating func remove(_ session: SessionKey, of host: HostKey, keeping bytes: Int, events: Int64) {
        if let held = byHost.index(forKey: host) { byHost.values[held].sessions.remove(session) }
        count(-bytes, events: -events, of: host)
        latest = nil
        if byHost[host]?.sessions.isEmpty == true { byHost[host] = nil }
    }

    /// Counts a session's growth: bytes of memory, and bytes of events.
    mutating func count(_ bytes: Int, events: Int64 = 0, of host: HostKey) {
        if events != 0 { count(events: events, of: host) }
        guard bytes != 0 else { return }
        if let held = byHost.index(forKey: host) { byHost.values[held].bytes += bytes }
        bytesOfWorkspaces[host.workspace, default: 0] += bytes
        let ofWorkspace = bytesOfWorkspaces[host.workspace, default: 0]
        if isFull(host) || ofWorkspace >= allowances.sessionBytesMax(in: host.workspace) {
            crowded.insert(host.workspace)
        } else if crowded.contains(host.workspace),
            !byHost.keys.contains(where: { $0.workspace == host.workspace && isFull($0) })
        {
            crowded.remove(host.workspace)
        }
        if ofWorkspace == 0 { bytesOfWorkspaces[host.workspace] = nil }
    }

    private mutating func count(events: Int64, of host: HostKey) {
        guard let entry = entry(of: host) else {
            if let held = byHost.index(forKey: host) { byHost.values[held].events += events }
            return judgeEvents(of: host.workspace, held: addEvents(events, of: host.workspace))
        }
        byHost.values[entry.held].events += events
        eventsOfWorkspaces.values[entry.ofWorkspace] += events
        judgeEvents(of: host.workspace, held: eventsOfWorkspaces.values[entry.ofWorkspace])
    }

    /// Nil if the host has no sessions, or its workspace no events.
    private mutating func entry(of host: HostKey) -> Counted? {
        if let latest, latest.host == host { return latest }
        guard let held = byHost.index(forKey: host), let ofWorkspace = eventsOfWorkspaces.index(forKey: host.workspace)
        else { return nil }
        latest = Counted(host: host, held: held, ofWorkspace: ofWorkspace)
        return latest
    }

    /// Returns the new sum of the workspace.
    private mutating func addEvents(_ events: Int64, of workspace: WorkspaceID) -> Int64 {
        latest = nil
        eventsOfWorkspaces[workspace, default: 0] += events
        return eventsOfWorkspaces[workspace, default: 0]
    }

    /// `held`: bytes of the workspace's events.
    private mutating func judgeEvents(of workspace: WorkspaceID, held: Int64) {
        if held == 0 {
            latest = nil
            eventsOfWorkspaces[workspace] = nil
        }
        if let max = allowances.bytesMax(in: workspace), held > Limits.sweepExcess.above(max) {
            overfull.insert(workspace)
        } else if !overfull.isEmpty {
            overfull.remove(workspace)
        }
    }

    private func isFull(_ host: HostKey) -> Bool { bytes(of: host) >= quotas.sessionMegabytesPerHost << 20 }

    private func bytes(of host: HostKey) -> Int { byHost[host]?.bytes ?? 0 }

    /// Bytes of events of each workspace that has events.
    var eventBytes: [Int64] { Array(eventsOfWorkspaces.values) }

    // MARK: - Room

    /// Number of sessions that each host has to give up to make room for another: a share of its own if it has reached its own
    /// limit, and what exceeds its fair share if its workspace has.
    var excess: [HostKey: Int] {
        var excess: [HostKey: Int] = [:]
        for (host, holding) in byHost
        where holding.sessions.count >= quotas.sessionsPerHost || quotaReached(byMoreOf: host) != nil {
            excess[host] = max(1, holding.sessions.count / Limits.roomShare)
        }
        for (workspace, hosts) in Dictionary(grouping: byHost.keys, by: \.workspace) {
            let counts = Dictionary(uniqueKeysWithValues: hosts.map { ($0, Int64(byHost[$0]?.sessions.count ?? 0)) })
            let countMax = allowances.sessionsMax(in: workspace)
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

    /// The quota that prevents another session; nil if there is none.
    func quotaReached(byAnotherOf host: HostKey) -> Quota? {
        if self[host].count >= quotas.sessionsPerHost { return .sessionsPerHost }
        if countOfSessions(in: host.workspace) >= allowances.sessionsMax(in: host.workspace) { return .sessionsPerWorkspace }
        return quotaReached(byMoreOf: host)
    }

    /// The quota that prevents a session of this host from taking more memory; nil if there is none. In a full workspace a host
    /// with less than an equal share may continue: it does not pay for what others use.
    func quotaReached(byMoreOf host: HostKey) -> Quota? {
        guard crowded.contains(host.workspace) else { return nil }
        if isFull(host) { return .sessionMegabytesPerHost }
        let max = allowances.sessionBytesMax(in: host.workspace)
        guard bytesOfWorkspaces[host.workspace, default: 0] >= max else { return nil }
        let hosts = byHost.keys.count { $0.workspace == host.workspace }
        return bytes(of: host) >= max / hosts ? .sessionMegabytesPerWorkspace : nil
    }

    /// The quota that prevents more events of this host; nil if there is none. Above the workspace's limit retention makes room; a
    /// host has to wait only if it writes faster than that. A host with less than an equal share has a larger margin, as it is the
    /// others' events that are being removed.
    func quotaReached(byEventsOf host: HostKey) -> Quota? {
        guard overfull.contains(host.workspace), let max = allowances.bytesMax(in: host.workspace) else { return nil }
        let held = eventsOfWorkspaces[host.workspace, default: 0]
        let hosts = Int64(byHost.keys.count { $0.workspace == host.workspace })
        let isLarge = byHost[host, default: Holding()].events >= max / Swift.max(hosts, 1)
        let excess = isLarge ? Limits.refusalExcess : Limits.refusalExcessOfSmall
        return held >= excess.above(max) ? .keepMegabytes : nil
    }

    // MARK: - Counting

    /// True if the counts differ from what these sessions keep.
    func isMiscounted(_ kept: some Sequence<(host: HostKey, bytes: Int, events: Int64)>) -> Bool {
        var expected: [HostKey: Holding] = [:]
        for (host, bytes, events) in kept {
            expected[host, default: Holding()].bytes += bytes
            expected[host, default: Holding()].events += events
        }
        return expected.mapValues(\.bytes) != byHost.mapValues(\.bytes)
            || expected.mapValues(\.events) != byHost.mapValues(\.events)
    }
}
