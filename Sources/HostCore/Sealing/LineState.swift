internal import Consent
internal import RelayProtocol

/// One session's line, reduced from its events as the relay reduces its summary.
struct LineState: Sendable {
    /// Open approvals whose titles are kept; a list shows the first.
    private static let approvalsMax = 16

    private var facts = SessionLine()
    private var status = SessionStatus.starting
    private var operation: String?
    private var approvals: [(id: ApprovalID, title: String)] = []
    private(set) var isEnded = false
    /// True if the relay may have more open events of the session than it has acknowledged.
    private var mayBeginLater = false

    init() {}

    /// The state of a session that was reported in the open until now. `number`: its first event that the relay has not
    /// acknowledged.
    init(sealedFrom number: Int64) {
        facts.from = number
        mayBeginLater = true
    }

    /// The state with the facts that an earlier life noted.
    init(note: [UInt8]) {
        if let facts = try? SessionLine(parsing: note) { self.facts = facts }
    }

    /// Facts that no later event repeats, which must survive a restart. Nil if there are none.
    var note: [UInt8]? {
        var kept = SessionLine()
        (kept.title, kept.project, kept.branch) = (facts.title, facts.project, facts.branch)
        (kept.workingDirectory, kept.folder, kept.from) = (facts.workingDirectory, facts.folder, facts.from)
        return kept == SessionLine() ? nil : kept.shortened.bytes
    }

    var line: SessionLine {
        var line = facts
        line.operation = status.isWaiting ? facts.reason ?? operation : operation
        line.asks = approvals.first?.title
        return line.shortened
    }

    /// Handles the sending of the event with that number, sealed. Returns true if it is the first sealed one.
    mutating func leaves(_ number: Int64) -> Bool {
        guard mayBeginLater else { return false }
        mayBeginLater = false
        facts.from = number
        return true
    }

    mutating func learn(_ head: EventHead) {
        switch head {
        case .sessionStarted(let start): begin(start)
        case .sessionRenamed(let title): facts.title = title
        case .sessionEnded(let reason, let failed): end(reason, failed: failed)
        case .statusChanged(let status, let reason): set(status, reason)
        case .toolStarted(let tool):
            operation = tool.operation
            facts.file = tool.file ?? facts.file
            status = .running
            (facts.error, facts.reason) = (nil, nil)
        case .fileChanged(let path, _, _, _): facts.file = path
        case .todoChanged(let progress): facts.current = progress.current
        case .error(let message, _): facts.error = message
        case .approvalRequested(let request) where request.rule == nil:
            guard approvals.count < Self.approvalsMax, !asks(request.approval) else { return }
            approvals.append((request.approval, request.title))
        case .approvalDelivered(let id), .approvalApplied(let id, _), .approvalCancelled(let id, _), .approvalStale(let id, _):
            ended(id)
        default: break
        }
    }

    func asks(_ approval: ApprovalID) -> Bool { approvals.contains { $0.id == approval } }

    mutating func ended(_ approval: ApprovalID) { approvals.removeAll { $0.id == approval } }

    private mutating func begin(_ start: SessionFacts) {
        facts.title = start.title ?? facts.title
        facts.project = start.project ?? facts.project
        if let directory = start.workingDirectory {
            (facts.workingDirectory, facts.folder, facts.branch) = (directory, start.folder, start.branch)
        }
        (facts.error, facts.reason, operation, status) = (nil, nil, nil, .starting)
        isEnded = false
    }

    private mutating func end(_ reason: String?, failed: Bool) {
        facts.reason = reason
        operation = nil
        approvals = []
        status = failed ? .failed : .completed
        if !failed { facts.error = nil }
        isEnded = true
    }

    private mutating func set(_ status: SessionStatus, _ reason: String?) {
        self.status = status
        facts.reason = reason
        if status == .running { facts.error = nil }
        if status == .idle || status == .completed || status == .failed { operation = nil }
    }
}

extension SessionLine {
    /// The line within its size limit: long values are cut; if that is not enough, the folder is left out.
    var shortened: SessionLine {
        if bytes.count <= Self.bytesMax { return self }
        var line = self
        for valueBytesMax in [200, 120, 60] {
            line = self
            for field in Self.fields {
                guard let value = line[keyPath: field] else { continue }
                line[keyPath: field] = TextCut.fit(value, bytesMax: valueBytesMax).text
            }
            if line.bytes.count <= Self.bytesMax { return line }
            line.folder = nil
            if line.bytes.count <= Self.bytesMax { return line }
            line.workingDirectory = nil
            if line.bytes.count <= Self.bytesMax { return line }
        }
        preconditionFailure("eleven values of 60 bytes fit into a line")
    }

    private static var fields: [WritableKeyPath<SessionLine, String?>] {
        [
            \.title, \.project, \.workingDirectory, \.folder, \.branch, \.operation, \.asks, \.file, \.current, \.reason,
            \.error,
        ]
    }
}
