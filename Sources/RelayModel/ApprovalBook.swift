package import RelayProtocol

/// The approvals of one session: those that are open, and those that were resolved lately.
///
/// Each is behind a reference: a view that is kept while the next one changes costs a count for each, not a copy of its content, and a
/// look at all open ones, as each event takes one, copies none.
package struct ApprovalBook {
    /// Something can still happen to each.
    private var standing: [ApprovalID: Kept] = [:]
    private var resolved: [ApprovalID: Kept] = [:]
    /// Bytes of the open approvals.
    package private(set) var openBytes = 0

    package init() {}

    private final class Kept: Sendable {
        let approval: Approval
        /// The approval's stage, kept here because every event looks at it for each open approval.
        let stage: ApprovalStage.Word

        init(_ approval: Approval) {
            self.approval = approval
            stage = approval.stage.word
        }
    }

    package var count: Int { standing.count + resolved.count }
    package var openCount: Int { standing.count }

    package subscript(id: ApprovalID) -> Approval? { (standing[id] ?? resolved[id])?.approval }

    /// Replaces the one of the same name.
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

    /// In no order.
    package var open: [Approval] { standing.values.map(\.approval) }

    /// The approvals that wait for a decision.
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

    /// The first in order of this stage, and whether one of the stage is for a tool.
    package func first(at stage: ApprovalStage.Word) -> (approval: Approval, isOneForTool: Bool)? {
        var first: Kept?
        var isOneForTool = false
        for kept in standing.values where kept.stage == stage {
            if kept.approval.request.kind == .tool { isOneForTool = true }
            if first.map({ Self.isBefore(kept.approval, $0.approval) }) ?? true { first = kept }
        }
        return first.map { ($0.approval, isOneForTool) }
    }

    /// Sorted, so that the same inputs give the same effects whatever a dictionary's order.
    package var openInOrder: [Approval] { open.sorted(by: Self.isBefore) }

    private static func isBefore(_ one: Approval, _ other: Approval) -> Bool {
        one.seq != other.seq ? one.seq < other.seq : one.id.rawValue < other.id.rawValue
    }

    /// In no order.
    package var all: [Approval] { open + resolved.values.map(\.approval) }

    /// The last that were resolved, the latest first.
    package func resolved(latest count: Int) -> some Sequence<Approval> {
        let latest = resolved.values.sorted {
            ($1.approval.stage.resolvedAt ?? 0, $0.approval.id.rawValue) < (
                $0.approval.stage.resolvedAt ?? 0, $1.approval.id.rawValue
            )
        }
        return latest.prefix(count).lazy.map(\.approval)
    }

    /// However many a host asks and takes back, memory holds a bounded number: at most twice `count`, as the look is at all of them.
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
