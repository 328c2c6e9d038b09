import RelayModel
import RelayProtocol

/// Bytes that each workspace has added since midnight UTC to what retention does not remove: approvals, lines of the audit log, and
/// positions of removed sessions. Estimates of what the stores write.
struct DailyRecords {
    private var allowances: Allowances
    private var day: Int64 = 0
    private var bytes: [WorkspaceID: Int64] = [:]
    /// Workspaces that have reached their limit. Nearly always none; checked with every message.
    private var full: Set<WorkspaceID> = []

    /// A line of the audit log without texts, and the row of an approval or a session.
    private static let rowBytes: Int64 = 512

    init(_ allowances: Allowances) { self.allowances = allowances }

    mutating func allow(_ allowances: Allowances) {
        self.allowances = allowances
        full = Set(bytes.filter { $0.value >= allowances.recordBytesPerDay(in: $0.key) }.keys)
    }

    /// `time`: milliseconds since 1970.
    mutating func isFull(_ workspace: WorkspaceID, at time: Int64) -> Bool {
        begin(time / UTCDay.length)
        return full.contains(workspace)
    }

    /// Counts an event. `changed`: the approval that it opened or changed.
    mutating func count(_ event: Event, changing changed: Approval?, in workspace: WorkspaceID, at time: Int64) {
        if let changed {
            var size = Self.rowBytes + Int64(changed.request.title.utf8.count)
            if case .approvalRequested = event.head { size += Self.rowBytes + Int64(changed.bytes.count) }
            add(size, in: workspace, at: time)
        } else if event.head.addsRecord {
            add(Self.rowBytes, in: workspace, at: time)
        }
    }

    /// Counts the position of a new session, which remains when the session is removed.
    mutating func countSession(in workspace: WorkspaceID, at time: Int64) { add(Self.rowBytes, in: workspace, at: time) }

    mutating func forget(_ workspace: WorkspaceID) {
        bytes[workspace] = nil
        full.remove(workspace)
    }

    private mutating func add(_ count: Int64, in workspace: WorkspaceID, at time: Int64) {
        begin(time / UTCDay.length)
        bytes[workspace, default: 0] += count
        if bytes[workspace, default: 0] >= allowances.recordBytesPerDay(in: workspace) { full.insert(workspace) }
    }

    private mutating func begin(_ today: Int64) {
        guard today != day else { return }
        (day, bytes, full) = (today, [:], [])
    }
}

extension EventHead {
    /// True if the audit log gets a line for which nobody but the host is needed.
    var addsRecord: Bool {
        switch self {
        case .approvalRequested, .steeringRequested, .steeringTyped: true
        default: false
        }
    }
}
