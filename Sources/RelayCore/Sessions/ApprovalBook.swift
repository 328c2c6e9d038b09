import RelayProtocol

/// The approvals of one session: those that are open, and those that were resolved lately.
///
/// Nothing happens to a resolved one any more. So it stands behind a reference, and a view that is kept while the next one changes costs a
/// count for each, not a copy of all that it says.
struct ApprovalBook {
    /// Open: something can still happen to each.
    private(set) var open: [ApprovalID: Approval] = [:]
    private var resolved: [ApprovalID: Resolved] = [:]

    private final class Resolved: Sendable {
        let approval: Approval
        init(_ approval: Approval) { self.approval = approval }
    }

    var count: Int { open.count + resolved.count }

    subscript(id: ApprovalID) -> Approval? { open[id] ?? resolved[id]?.approval }

    /// In place of what stood under its name.
    mutating func put(_ approval: Approval) {
        if approval.stage.isFinal {
            open[approval.id] = nil
            resolved[approval.id] = Resolved(approval)
        } else {
            resolved[approval.id] = nil
            open[approval.id] = approval
        }
    }

    mutating func withdraw(_ id: ApprovalID) {
        open[id] = nil
        resolved[id] = nil
    }

    /// Those that wait for a decision.
    var pending: [Approval] { open.values.filter { $0.stage == .pending } }

    /// The same facts give the same orders, whatever a dictionary does.
    var openInOrder: [Approval] { open.values.sorted { ($0.seq, $0.id.rawValue) < ($1.seq, $1.id.rawValue) } }

    /// In no order.
    var all: [Approval] { Array(open.values) + resolved.values.map(\.approval) }

    /// The last that were resolved, the latest first.
    func resolved(latest count: Int) -> some Sequence<Approval> {
        let latest = resolved.values.sorted {
            ($1.approval.resolvedAt ?? 0, $0.approval.id.rawValue) < ($0.approval.resolvedAt ?? 0, $1.approval.id.rawValue)
        }
        return latest.prefix(count).lazy.map(\.approval)
    }

    /// However many a host asks and takes back, memory holds a bounded number: at most twice `count`, as the look is at all of them.
    mutating func forgetResolved(beyond count: Int) {
        guard resolved.count > 2 * count else { return }
        let oldest = resolved.values.sorted { $0.approval.seq > $1.approval.seq }.dropFirst(count)
        for old in oldest { resolved[old.approval.id] = nil }
    }

    mutating func forgetResolved(unless isKept: (Approval) -> Bool) {
        guard resolved.values.contains(where: { !isKept($0.approval) }) else { return }
        resolved = resolved.filter { isKept($0.value.approval) }
    }
}
