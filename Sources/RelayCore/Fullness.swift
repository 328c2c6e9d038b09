import RelayModel
import RelayProtocol

/// Limits that workspaces have reached lately, so that their clients can be notified, but not with each refusal.
struct Fullness {
    /// Time at which each limit was last reached, and at which clients were last notified, by `Instant.uptime`.
    private var reached: [WorkspaceID: [WorkspaceLimit: (at: Int64, told: Int64)]] = [:]

    /// Time after the last refusal for which a limit counts as reached, and for which clients are not notified again, in
    /// milliseconds.
    static let interval: Int64 = 10 * 60 * 1000

    /// Notes that a limit was reached. Returns true if clients are to be notified now.
    mutating func reached(_ limit: WorkspaceLimit, in workspace: WorkspaceID, at now: Instant) -> Bool {
        let told = reached[workspace]?[limit]?.told
        let isNews = told.map { now.uptime - $0 >= Self.interval } ?? true
        reached[workspace, default: [:]][limit] = (at: now.uptime, told: isNews ? now.uptime : told ?? now.uptime)
        return isNews
    }

    /// Limits that count as reached, ordered by name.
    func limits(of workspace: WorkspaceID, at now: Instant) -> [WorkspaceLimit] {
        (reached[workspace] ?? [:]).filter { now.uptime - $0.value.at < Self.interval }.keys
            .sorted { $0.rawValue < $1.rawValue }
    }

    mutating func keepHouse(at now: Instant) {
        for workspace in reached.keys where limits(of: workspace, at: now).isEmpty { reached[workspace] = nil }
    }

    mutating func forget(_ workspace: WorkspaceID) { reached[workspace] = nil }
}
