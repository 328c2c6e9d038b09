import RelayProtocol

/// Limits of each workspace: those that the operator set for it, else the relay's settings.
struct Allowances {
    private let quotas: Quotas
    private let ageMax: Int64?
    private let bytesMax: Int64?
    private var own: [WorkspaceID: WorkspaceLimits] = [:]

    private static let day: Int64 = 24 * 60 * 60 * 1000

    /// `ageMax`, in milliseconds, and `bytesMax`, in bytes: see `Retention`.
    init(_ quotas: Quotas, ageMax: Int64? = nil, bytesMax: Int64? = nil) {
        self.quotas = quotas
        self.ageMax = ageMax
        self.bytesMax = bytesMax
    }

    mutating func replace(with limits: [WorkspaceID: WorkspaceLimits]) { own = limits }

    func sessionsMax(in workspace: WorkspaceID) -> Int { own[workspace]?.sessions ?? quotas.sessionsPerWorkspace }

    /// Limit for the memory of its sessions, in bytes.
    func sessionBytesMax(in workspace: WorkspaceID) -> Int {
        (own[workspace]?.sessionMegabytes ?? quotas.sessionMegabytesPerWorkspace) << 20
    }

    /// Limit for what is added in a day to records that retention does not remove, in bytes.
    func recordBytesPerDay(in workspace: WorkspaceID) -> Int64 {
        Int64(own[workspace]?.recordMegabytesPerDay ?? quotas.recordMegabytesPerDayPerWorkspace) << 20
    }

    /// Limit for the bytes of events; nil: none.
    func bytesMax(in workspace: WorkspaceID) -> Int64? {
        own[workspace]?.megabytes.map { Int64($0) << 20 } ?? bytesMax
    }

    /// Limit for the age of events, in milliseconds; nil: none.
    func ageMax(in workspace: WorkspaceID) -> Int64? {
        guard let days = own[workspace]?.keepDays else { return ageMax }
        return min(Int64(days) * Self.day, ageMax ?? .max)
    }

    /// Limit for pushes in a day; 0: none.
    func pushesPerDay(in workspace: WorkspaceID) -> Int { own[workspace]?.pushesPerDay ?? quotas.pushesPerDayPerWorkspace }

    /// True if some workspace has a limit for age, and below it for bytes.
    var limitsAge: Bool { ageMax != nil || own.values.contains { $0.keepDays != nil } }
    var limitsBytes: Bool { bytesMax != nil || own.values.contains { $0.megabytes != nil } }
}
