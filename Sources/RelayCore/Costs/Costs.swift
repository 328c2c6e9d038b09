import RelayModel
import RelayProtocol

/// The use of every workspace: each event's part is on disk in the transaction that has the event, so that the sums are those of the
/// events whatever crashes, repeats or is removed.
struct Costs {
    private typealias Rows = [CostRow.Key: CostRow]

    /// As on disk; only these are ever shown.
    private var rows: [WorkspaceID: Rows] = [:]
    /// Those that the batch under way changes; nil: removes.
    private var staged: [WorkspaceID: [CostRow.Key: CostRow?]] = [:]
    /// The use of that batch's events.
    private var used: CostSum?
    /// Of sessions that had a cost before rows were kept; staged until they are on disk.
    private var found: [WorkspaceID: Rows] = [:]
    /// Records that do not decode, by name.
    private(set) var damaged: [String] = []

    init(restoring records: [PushRecord], sessions: [(key: SessionKey, state: SessionState)]) {
        var counted: Set<WorkspaceID> = []
        for record in records where record.kind == .cost {
            guard let bytes = record.bytes else { continue }
            counted.insert(record.workspace)
            // A record that cannot be read is of a newer relay, and is left for that one.
            do throws(WireError) {
                let row = try CostRow(stored: bytes)
                rows[record.workspace, default: [:]][row.key] = row
            } catch { damaged.append("cost \(record.name)") }
        }
        for (key, state) in sessions where !counted.contains(key.workspace) { find(state.summary, in: key.workspace) }
        stageFound()
    }

    /// All that is known of when it was spent is that it was not later than the session's last event.
    private mutating func find(_ summary: Summary, in workspace: WorkspaceID) {
        guard let sum = summary.spent.growth(since: CostSum()) else { return }
        let key = CostRow.Key(day: UTCDay(at: max(0, summary.lastActivityAt)), session: summary.session)
        var row = CostRow(key, of: summary)
        row.add(sum, of: summary.model, at: max(0, summary.lastActivityAt), in: summary)
        found[workspace, default: [:]][key] = row
    }

    private mutating func stageFound() { staged = found.mapValues { $0.mapValues(Optional.some) } }

    // MARK: - The batch

    var isStaged: Bool { !staged.isEmpty }

    mutating func add(_ spending: Spending, of summary: Summary, at now: Instant) {
        let workspace = spending.key.workspace
        let time = Self.time(spending.at, now: now.wall)
        let key = CostRow.Key(day: UTCDay(at: time), session: spending.key.session)
        let known = (staged[workspace]?[key] ?? nil) ?? rows[workspace]?[key]
        var row = known ?? CostRow(key, of: summary)
        used = (used ?? CostSum()).plus(spending.sum)
        row.add(spending.sum, of: spending.model, at: time, in: summary)
        staged[workspace, default: [:]].updateValue(row, forKey: key)
    }

    /// A host's clock may be wrong: what it says of the future, or of more than a year ago, is of now.
    static func time(_ said: Int64, now: Int64) -> Int64 {
        said > now || said < now - yearMilliseconds ? max(0, now) : max(0, said)
    }

    private static let yearMilliseconds: Int64 = 366 * UTCDay.length

    /// Adds the rows to the batch.
    mutating func keep(_ records: inout [PushRecord]) {
        for workspace in staged.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            forgetOldest(in: workspace)
            let changed = staged[workspace] ?? [:]
            for key in changed.keys.sorted(by: { ($0.day.number, $0.session.rawValue) < ($1.day.number, $1.session.rawValue) })
            {
                records.append(
                    PushRecord(workspace: workspace, kind: .cost, name: key.name, bytes: (changed[key] ?? nil)?.bytes))
            }
        }
    }

    /// Whole days, so that a day's sum is right or gone.
    private mutating func forgetOldest(in workspace: WorkspaceID) {
        let known = rows[workspace] ?? [:]
        let added = staged[workspace]?.keys.count { known[$0] == nil } ?? 0
        guard known.count + added > Limits.costRowsMax, let oldest = known.keys.map(\.day.number).min() else { return }
        for key in known.keys where key.day.number == oldest { staged[workspace]?.updateValue(nil, forKey: key) }
    }

    /// Returns what its events have used.
    mutating func committed() -> CostSum? {
        defer { used = nil }
        for (workspace, changed) in staged {
            for (key, row) in changed { rows[workspace, default: [:]][key] = row }
        }
        staged = [:]
        found = [:]
        return used
    }

    mutating func lost() {
        used = nil
        stageFound()
    }

    /// The workspace was removed, and no batch is under way.
    mutating func forget(_ workspace: WorkspaceID) {
        rows[workspace] = nil
        staged[workspace] = nil
        found[workspace] = nil
    }

    // MARK: - Shown

    func report(on query: CostQuery, in workspace: WorkspaceID, at now: Instant) -> CostReport {
        var tally = CostTally(query, now: now.wall)
        for row in (rows[workspace] ?? [:]).values { tally.add(row) }
        return tally.report
    }
}
