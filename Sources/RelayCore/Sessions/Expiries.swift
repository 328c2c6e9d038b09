import RelayModel
import RelayProtocol

/// End of each open approval by `Instant.uptime`: timers of a machine that slept fire late.
struct Expiries {
    private(set) var due: [ApprovalName: Int64] = [:]

    mutating func arm(_ approval: Approval, in key: SessionKey, at now: Instant, _ orders: inout Orders) {
        guard let end = approval.expiresAt, let hostsEnd = approval.request.expiresAt else { return }
        // Limited, so that a clock that was set back does not make the wait longer than intended.
        let whole = min(max(0, hostsEnd - approval.requestedAt), Limits.expiryMax)
        let wait = min(max(0, end - now.wall), whole) + SessionLimits.expiryGrace
        due[ApprovalName(key, approval.id)] = now.uptime + wait
        orders.add(.armTimer(.approvalExpiry(key, approval.id), after: wait))
    }

    mutating func cancel(_ approval: ApprovalID, in key: SessionKey, _ orders: inout Orders) {
        due[ApprovalName(key, approval)] = nil
        orders.add(.cancelTimer(.approvalExpiry(key, approval)))
    }

    mutating func fired(_ name: ApprovalName) { due[name] = nil }

    /// Approvals whose timers should have fired, sorted: the machine may have slept.
    func overdue(at now: Instant) -> [ApprovalName] {
        due.filter { $0.value <= now.uptime }.keys
            .sorted { ($0.key, $0.approval.rawValue) < ($1.key, $1.approval.rawValue) }
    }
}
