import RelayModel
import RelayProtocol

/// Limits that workspaces have reached lately, so that their clients can be told, though not with each refusal.
struct Fullness {
    /// When each was last reached, and when clients were last told, by `Instant.uptime`.
    private var reached: [WorkspaceID: [WorkspaceLimit: (at: Int64, told: Int64)]] = [:]

    /// For so long after the last refusal a limit counts as reached, and so long clients are not told again, in milliseconds.
    static let interval: Int64 = 10 * 60 * 1000

    /// True if clients are to be told now.
    mutating func reached(_ limit: WorkspaceLimit, in workspace: WorkspaceID, at now: Instant) -> Bool {
        let told = reached[workspace]?[limit]?.told
        let isNews = told.map { now.uptime - $0 >= Self.interval } ?? true
        reached[workspace, default: [:]][limit] = (at: now.uptime, told: isNews ? now.uptime : told ?? now.uptime)
        return isNews
    }

    /// In the order of their names.
    func limits(of workspace: WorkspaceID, at now: Instant) -> [WorkspaceLimit] {
        (reached[workspace] ?? [:]).filter { now.uptime - $0.value.at < Self.interval }.keys
            .sorted { $0.rawValue < $1.rawValue }
    }

    mutating func keepHouse(at now: Instant) {
        for workspace in reached.keys where limits(of: workspace, at: now).isEmpty { reached[workspace] = nil }
    }

    mutating func forget(_ workspace: WorkspaceID) { reached[workspace] = nil }
}
