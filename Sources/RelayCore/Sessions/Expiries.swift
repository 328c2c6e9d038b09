import RelayModel
import RelayProtocol

/// When each open approval is over, by `Instant.uptime`: a machine that slept fires its timers late.
struct Expiries {
    private(set) var due: [ApprovalName: Int64] = [:]

    mutating func arm(_ approval: Approval, in key: SessionKey, at now: Instant, _ orders: inout Orders) {
        guard let end = approval.expiresAt, let hostsEnd = approval.request.expiresAt else { return }
        // A clock that was set back must not make a wait longer than it was meant to be.
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

    /// Approvals whose timers slept with the machine, in order.
    func overdue(at now: Instant) -> [ApprovalName] {
        due.filter { $0.value <= now.uptime }.keys
            .sorted { ($0.key, $0.approval.rawValue) < ($1.key, $1.approval.rawValue) }
    }
}
