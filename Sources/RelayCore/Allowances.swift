import RelayProtocol

/// Limits of each workspace: the relay's settings, or those that the operator gave that workspace.
struct Allowances {
    private let quotas: Quotas
    private let ageMax: Int64?
    private let bytesMax: Int64?
    private var own: [WorkspaceID: WorkspaceLimits] = [:]

    private static let day: Int64 = 24 * 60 * 60 * 1000

    /// `ageMax`, in milliseconds, and `bytesMax`: as of `Retention`.
    init(_ quotas: Quotas, ageMax: Int64? = nil, bytesMax: Int64? = nil) {
        self.quotas = quotas
        self.ageMax = ageMax
        self.bytesMax = bytesMax
    }

    mutating func replace(with limits: [WorkspaceID: WorkspaceLimits]) { own = limits }

    func sessionsMax(in workspace: WorkspaceID) -> Int { own[workspace]?.sessions ?? quotas.sessionsPerWorkspace }

    /// Bytes of events; nil: no limit.
    func bytesMax(in workspace: WorkspaceID) -> Int64? {
        own[workspace]?.megabytes.map { Int64($0) << 20 } ?? bytesMax
    }

    /// In milliseconds; nil keeps all.
    func ageMax(in workspace: WorkspaceID) -> Int64? {
        guard let days = own[workspace]?.keepDays else { return ageMax }
        return min(Int64(days) * Self.day, ageMax ?? .max)
    }

    /// 0 is no limit.
    func pushesPerDay(in workspace: WorkspaceID) -> Int { own[workspace]?.pushesPerDay ?? quotas.pushesPerDayPerWorkspace }

    /// True if some workspace has one.
    var limitsAge: Bool { ageMax != nil || own.values.contains { $0.keepDays != nil } }
    var limitsBytes: Bool { bytesMax != nil || own.values.contains { $0.megabytes != nil } }
}
