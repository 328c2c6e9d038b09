package import RelayProtocol

/// The approvals of one session: the open ones, and those resolved lately.
///
/// Each is stored by reference: keeping a view while the next one changes costs reference counting instead of a copy of the
/// approvals, and iterating over the open ones, as each event does, copies none.
package struct ApprovalBook {
    /// The open approvals: something can still happen to each.
    private var standing: [ApprovalID: Kept] = [:]
    private var resolved: [ApprovalID: Kept] = [:]
    package private(set) var openBytes = 0

    package init() {}

    private final class Kept: Sendable {
        let approval: Approval
        /// The approval's stage, kept here because every event reads it for each open approval.
        let stage: ApprovalStage.Word

        init(_ approval: Approval) {
            self.approval = approval
            stage = approval.stage.word
        }
    }

    package var count: Int { standing.count + resolved.count }
    package var openCount: Int { standing.count }

    package subscript(id: ApprovalID) -> Approval? { kept(id)?.approval }

    /// Number of the event that changed the approval last. Copies no approval: it is called for each of them with every commit.
    package func seq(of id: ApprovalID) -> Int64? { kept(id)?.approval.seq }

    private func kept(_ id: ApprovalID) -> Kept? { standing[id] ?? resolved[id] }

    /// Adds the approval, or replaces the one with the same identifier.
    package mutating func put(_ approval: Approval) {
        withdraw(approval.id)
        if approval.stage.isFinal {
            resolved[approval.id] = Kept(approval)
        } else {
            standing[approval.id] = Kept(approval)
            openBytes += approval.requestBytes.count
        }
    }

    package mutating func withdraw(_ id: ApprovalID) {
        if let kept = standing.removeValue(forKey: id) { openBytes -= kept.approval.requestBytes.count }
        resolved[id] = nil
    }

    /// The open approvals, in no particular order.
    package var open: [Approval] { standing.values.map(\.approval) }

    package var pending: [Approval] { standing.values.lazy.filter { $0.stage == .pending }.map(\.approval) }

    /// Number of approvals that wait for a decision, and of questions among them.
    package var pendingCounts: (all: Int, questions: Int) {
        var counts = (all: 0, questions: 0)
        for kept in standing.values where kept.stage == .pending {
            counts.all += 1
            if kept.approval.request.kind == .question { counts.questions += 1 }
        }
        return counts
    }

    /// The first approval in this stage, and whether any in this stage is for a tool; nil if there is none.
    package func first(at stage: ApprovalStage.Word) -> (approval: Approval, isOneForTool: Bool)? {
        var first: Kept?
        var isOneForTool = false
        for kept in standing.values where kept.stage == stage {
            if kept.approval.request.kind == .tool { isOneForTool = true }
            if first.map({ Self.isBefore(kept.approval, $0.approval) }) ?? true { first = kept }
        }
        return first.map { ($0.approval, isOneForTool) }
    }

    /// Sorted, so that the same inputs give the same effects although a dictionary has no fixed order.
    package var openInOrder: [Approval] { open.sorted(by: Self.isBefore) }

    private static func isBefore(_ one: Approval, _ other: Approval) -> Bool {
        one.seq != other.seq ? one.seq < other.seq : one.id.rawValue < other.id.rawValue
    }

    /// All approvals in memory, in no particular order.
    package var all: [Approval] { open + resolved.values.map(\.approval) }

    /// The most recently resolved approvals, the latest first.
    package func resolved(latest count: Int) -> some Sequence<Approval> {
        let latest = resolved.values.sorted {
            ($1.approval.stage.resolvedAt ?? 0, $0.approval.id.rawValue) < (
                $0.approval.stage.resolvedAt ?? 0, $1.approval.id.rawValue
            )
        }
        return latest.prefix(count).lazy.map(\.approval)
    }

    /// Removes the oldest resolved approvals, so that memory is bounded however many a host requests and withdraws. Only acts above
    /// twice `count`, because each removal looks at all of them.
    package mutating func forgetResolved(beyond count: Int) {
        guard resolved.count > 2 * count else { return }
        let oldest = resolved.values.sorted { $0.approval.seq > $1.approval.seq }.dropFirst(count)
        for old in oldest { resolved[old.approval.id] = nil }
    }

    package mutating func forgetResolved(_ id: ApprovalID) { resolved[id] = nil }

    package mutating func forgetResolved(unless isKept: (Approval) -> Bool) {
        guard resolved.values.contains(where: { !isKept($0.approval) }) else { return }
        resolved = resolved.filter { isKept($0.value.approval) }
    }
}
