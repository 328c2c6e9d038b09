import Metrics
import RelayCore
import RelayProtocol
import WebSocketEngine

/// The relay's metrics; their names must stay stable, as people build dashboards on them.
struct Measures: Sendable {
    private let hosts: Meter
    private let clients: Meter
    private let messagesSent: Counter
    private let bytesSent: Counter
    private let messagesReceived: Counter
    private let bytesReceived: Counter
    private let messagesRefused: Counter
    private let upgradesRefused: Counter
    private let turnedAway: [String: Counter]
    private let slowed: [RateLimiter.Limit: Counter]
    private let quotasReached: [Quota: Counter]
    private let removedSessions: [Removal.Reason: Counter]
    private let removedEvents: [Removal.Reason: Counter]
    private let cost: Counter
    private let tokens: [TokenKind: Counter]
    private let clockBelieved: Meter
    private let clientsCutOff: Counter
    private let memoryUsed: Meter
    private let memoryAllowed: Meter
    private let eventsCommitted: Counter
    private let commitsFailed: Counter
    private let clientsCongested: Counter
    private let commitTime: Timer
    private let sessions: Meter
    private let openApprovals: Meter
    private let dataBytes: Meter
    private let takesWrites: Meter
    private let waitingRevocations: Meter
    private let unwrittenRevocations: Meter
    private let links: Meter
    private let waitingRequests: Meter
    private let workspaces: Meter
    private let registeredWorkspaces: Meter
    private let ownedWorkspaces: Meter
    private let overfullWorkspaces: Meter
    private let workspaceEventBytes: [WorkspaceShare: Meter]
    private let registrations: [RegistrationOutcome: Counter]
    private let factory: any MetricsFactory & Sendable

    init(factory: any MetricsFactory & Sendable) {
        self.factory = factory
        hosts = Meter(label: "heliograph_connections", dimensions: [("role", "host")], factory: factory)
        clients = Meter(label: "heliograph_connections", dimensions: [("role", "client")], factory: factory)
        messagesSent = Counter(label: "heliograph_messages_sent_total", dimensions: [], factory: factory)
        bytesSent = Counter(label: "heliograph_bytes_sent_total", dimensions: [], factory: factory)
        messagesReceived = Counter(label: "heliograph_messages_received_total", dimensions: [], factory: factory)
        bytesReceived = Counter(label: "heliograph_bytes_received_total", dimensions: [], factory: factory)
        messagesRefused = Counter(label: "heliograph_messages_refused_total", dimensions: [], factory: factory)
        upgradesRefused = Counter(label: "heliograph_upgrades_refused_total", dimensions: [], factory: factory)
        let limits = TurnAwayReason.allCases.map(\.rawValue) + ConnectionLimiter.LimitError.allCases.map(\.rawValue)
        turnedAway = Self.counters(limits) {
            Counter(label: "heliograph_connections_turned_away_total", dimensions: [("limit", $0)], factory: factory)
        }
        slowed = Self.counters(RateLimiter.Limit.allCases) {
            Counter(label: "heliograph_slowed_total", dimensions: [("limit", $0.rawValue)], factory: factory)
        }
        quotasReached = Self.counters(Quota.allCases) {
            Counter(label: "heliograph_quota_refusals_total", dimensions: [("limit", $0.rawValue)], factory: factory)
        }
        removedSessions = Self.counters(Removal.Reason.allCases) {
            Counter(label: "heliograph_sessions_removed_total", dimensions: [("reason", $0.rawValue)], factory: factory)
        }
        removedEvents = Self.counters(Removal.Reason.allCases) {
            Counter(label: "heliograph_events_removed_total", dimensions: [("reason", $0.rawValue)], factory: factory)
        }
        cost = Counter(label: "heliograph_cost_microdollars_total", dimensions: [], factory: factory)
        tokens = Self.counters(TokenKind.allCases) {
            Counter(label: "heliograph_tokens_total", dimensions: [("kind", $0.rawValue)], factory: factory)
        }
        clockBelieved = Meter(label: "heliograph_clock_believed", dimensions: [], factory: factory)
        clockBelieved.set(1)
        clientsCutOff = Counter(label: "heliograph_clients_cut_off_total", dimensions: [], factory: factory)
        memoryUsed = Meter(label: "heliograph_memory_bytes", dimensions: [], factory: factory)
        memoryAllowed = Meter(label: "heliograph_memory_budget_bytes", dimensions: [], factory: factory)
        eventsCommitted = Counter(label: "heliograph_events_committed_total", dimensions: [], factory: factory)
        commitsFailed = Counter(label: "heliograph_commits_failed_total", dimensions: [], factory: factory)
        clientsCongested = Counter(label: "heliograph_congestions_total", dimensions: [], factory: factory)
        commitTime = Timer(label: "heliograph_commit_seconds", dimensions: [], factory: factory)
        sessions = Meter(label: "heliograph_sessions", dimensions: [], factory: factory)
        openApprovals = Meter(label: "heliograph_approvals_open", dimensions: [], factory: factory)
        dataBytes = Meter(label: "heliograph_data_bytes", dimensions: [], factory: factory)
        takesWrites = Meter(label: "heliograph_store_takes_writes", dimensions: [], factory: factory)
        waitingRevocations = Meter(
            label: "heliograph_revocations_waiting", dimensions: [("place", "file")], factory: factory)
        unwrittenRevocations = Meter(
            label: "heliograph_revocations_waiting", dimensions: [("place", "memory")], factory: factory)
        links = Meter(label: "heliograph_node_links", dimensions: [], factory: factory)
        links.set(0)
        waitingRequests = Meter(label: "heliograph_node_requests_waiting", dimensions: [], factory: factory)
        waitingRequests.set(0)
        workspaces = Meter(label: "heliograph_workspaces", dimensions: [], factory: factory)
        registeredWorkspaces = Meter(label: "heliograph_workspaces_registered", dimensions: [], factory: factory)
        registrations = Self.counters(RegistrationOutcome.allCases) {
            Counter(label: "heliograph_registrations_total", dimensions: [("outcome", $0.rawValue)], factory: factory)
        }
        overfullWorkspaces = Meter(label: "heliograph_workspaces_overfull", dimensions: [], factory: factory)
        workspaceEventBytes = Dictionary(
            uniqueKeysWithValues: WorkspaceShare.allCases.map {
                (
                    $0,
                    Meter(label: "heliograph_workspace_event_bytes", dimensions: [("quantile", $0.rawValue)], factory: factory)
                )
            })
        ownedWorkspaces = Meter(label: "heliograph_node_workspaces", dimensions: [], factory: factory)
    }

    /// Sets metrics with the version, how the loops wait, and the number of loops that serve connections.
    func started(_ waitMethod: WaitMethod, loops: Int, version: String, atMilliseconds start: Int64) {
        Meter(label: "heliograph_event_loops", dimensions: [("wait", waitMethod.rawValue)], factory: factory).set(loops)
        Meter(label: "heliograph_build_info", dimensions: [("version", version)], factory: factory).set(1)
        Meter(label: "heliograph_start_time_seconds", dimensions: [], factory: factory).set(Double(start) / 1000)
    }

    /// `seconds`: since 1970. Without TLS there is no such metric.
    func certificateEnds(at seconds: Int64) {
        Meter(label: "heliograph_tls_certificate_expires_timestamp_seconds", dimensions: [], factory: factory).set(seconds)
    }

    /// For data in a database. `standbysInSync`: nil if the relay's role may not see it; then there is no such metric.
    func databaseLooked(isSynchronous: Bool, standbysInSync: Int?, standbysNeeded: Int) {
        Meter(label: "heliograph_database_synchronous", dimensions: [], factory: factory).set(isSynchronous ? 1 : 0)
        Meter(label: "heliograph_database_standbys_needed", dimensions: [], factory: factory).set(standbysNeeded)
        guard let standbysInSync else { return }
        Meter(label: "heliograph_database_standbys_in_sync", dimensions: [], factory: factory).set(standbysInSync)
    }

    func looked(sessions: Int, openApprovals: Int, dataBytes: Int64, takesWrites: Bool) {
        self.sessions.set(sessions)
        self.openApprovals.set(openApprovals)
        self.dataBytes.set(dataBytes)
        self.takesWrites.set(takesWrites ? 1 : 0)
    }

    /// Both kinds of revocations are in force.
    func looked(waitingRevocations: Int, unwritten: Int) {
        self.waitingRevocations.set(waitingRevocations)
        unwrittenRevocations.set(unwritten)
    }

    /// One counter for each name, so that all exist from the start.
    private static func counters<Name: Hashable>(_ names: [Name], _ make: (Name) -> Counter) -> [Name: Counter] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, make($0)) })
    }

    func turnedAway(_ reason: TurnAwayReason) { turnedAway[reason.rawValue]?.increment() }
    func turnedAway(_ limit: ConnectionLimiter.LimitError) { turnedAway[limit.rawValue]?.increment() }
    func slowed(_ limit: RateLimiter.Limit) { slowed[limit]?.increment() }
    func registered(_ outcome: RegistrationOutcome) { registrations[outcome]?.increment() }
    func reached(_ quota: Quota) { quotasReached[quota]?.increment() }
    func removed(_ removal: Removal) {
        removedSessions[removal.reason]?.increment(by: removal.sessions)
        removedEvents[removal.reason]?.increment(by: Int(removal.events))
    }
    func used(_ sum: CostSum) {
        cost.increment(by: sum.costMicroUSD ?? 0)
        for (kind, counter) in tokens { counter.increment(by: kind.count(in: sum.tokens)) }
    }
    func judgedClock(isBelieved: Bool) { clockBelieved.set(isBelieved ? 1 : 0) }
    func cutOff() { clientsCutOff.increment() }
    func memory(_ bytes: Int64) { memoryUsed.set(bytes) }
    func memoryBudget(_ bytes: Int64) { memoryAllowed.set(bytes) }

    func linkOpened() { links.increment() }
    func linkClosed() { links.decrement() }
    func looked(waitingRequests: Int) { self.waitingRequests.set(waitingRequests) }
    /// `owned`: number of workspaces whose core is in this process.
    func looked(workspaces: Int, registered: Int, owned: Int) {
        self.workspaces.set(workspaces)
        registeredWorkspaces.set(registered)
        ownedWorkspaces.set(owned)
    }

    /// `sizes` has no entries for workspaces without events; `count` includes them.
    func looked(workspaceEventBytes sizes: [Int64], of count: Int, overfull: Int) {
        overfullWorkspaces.set(overfull)
        let sorted = Array(repeating: 0, count: max(0, count - sizes.count)) + sizes.sorted()
        for (share, meter) in workspaceEventBytes { meter.set(share.value(in: sorted)) }
    }

    func connected(_ role: PairingRole) { meter(role).increment() }
    func disconnected(_ role: PairingRole) { meter(role).decrement() }

    func sent(messages: Int, bytes: Int) {
        messagesSent.increment(by: messages)
        bytesSent.increment(by: bytes)
    }

    func received(messages: Int, bytes: Int) {
        messagesReceived.increment(by: messages)
        bytesReceived.increment(by: bytes)
    }

    func refusedMessage() { messagesRefused.increment() }
    func congested() { clientsCongested.increment() }
    func refused() { upgradesRefused.increment() }

    func commitEnded(events: Int, nanoseconds: UInt64, succeeded: Bool) {
        commitTime.recordNanoseconds(Int64(nanoseconds))
        if succeeded { eventsCommitted.increment(by: events) } else { commitsFailed.increment() }
    }

    private func meter(_ role: PairingRole) -> Meter { role == .host ? hosts : clients }
}

/// Quantiles of the workspaces' sizes: no metric has the name of a single workspace.
private enum WorkspaceShare: String, CaseIterable {
    case half = "0.5"
    case most = "0.9"
    case all = "1"

    func value(in sorted: [Int64]) -> Int64 {
        let tenths =
            switch self {
            case .half: 5
            case .most: 9
            case .all: 10
            }
        return sorted.isEmpty ? 0 : sorted[max(0, (sorted.count * tenths + 9) / 10 - 1)]
    }
}

/// A workspace was made, or the limit that refused it.
enum RegistrationOutcome: String, CaseIterable {
    case made, perHour, perAddress, count
}

private enum TokenKind: String, CaseIterable {
    case input, output, cacheRead, cacheWrite

    func count(in tokens: Tokens) -> Int64 {
        switch self {
        case .input: tokens.input
        case .output: tokens.output
        case .cacheRead: tokens.cacheRead
        case .cacheWrite: tokens.cacheWrite
        }
    }
}
