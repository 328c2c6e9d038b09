import RelayModel
import RelayProtocol

/// The usage of every workspace. Each event's usage is on disk in the same transaction as the event, so that the sums match the
/// events in spite of crashes, repeats and removals.
struct Costs {
    private typealias Rows = [CostRow.Key: CostRow]

    /// The rows as on disk; only these are ever shown.
    private var rows: [WorkspaceID: Rows] = [:]
    /// Rows that the batch under way changes; nil removes one.
    private var staged: [WorkspaceID: [CostRow.Key: CostRow?]] = [:]
    /// Usage of that batch's events.
    private var used: CostSum?
    /// Rows made for sessions that had a cost before rows were recorded; staged until they are on disk.
    private var found: [WorkspaceID: Rows] = [:]
    /// Records that do not decode, by name.
    private(set) var damaged: [String] = []

    init(restoring records: [PushRecord], sessions: [(key: SessionKey, state: SessionState)]) {
        var counted: Set<WorkspaceID> = []
        for record in records where record.kind == .cost {
            guard let bytes = record.bytes else { continue }
            counted.insert(record.workspace)
            // An undecodable record belongs to a newer relay, and is kept for it.
            do throws(WireError) {
                let row = try CostRow(stored: bytes)
                rows[record.workspace, default: [:]][row.key] = row
            } catch { damaged.append("cost \(record.name)") }
        }
        for (key, state) in sessions where !counted.contains(key.workspace) { find(state.summary, in: key.workspace) }
        stageFound()
    }

    /// Makes a row for a session without one. Its cost is counted at the session's last event, as nothing more is known of when it
    /// was spent.
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

    /// The time that a host reported, corrected to `now` if it is in the future or more than a year ago: hosts' clocks may be
    /// wrong.
    static func time(_ said: Int64, now: Int64) -> Int64 {
        said > now || said < now - yearMilliseconds ? max(0, now) : max(0, said)
    }

    private static let yearMilliseconds: Int64 = 366 * UTCDay.length

    /// Adds the changed rows to the batch.
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

    /// Removes the oldest rows beyond the limit. Whole days, so that a day's sum is either complete or absent.
    private mutating func forgetOldest(in workspace: WorkspaceID) {
        let known = rows[workspace] ?? [:]
        let added = staged[workspace]?.keys.count { known[$0] == nil } ?? 0
        guard known.count + added > Limits.costRowsMax, let oldest = known.keys.map(\.day.number).min() else { return }
        for key in known.keys where key.day.number == oldest { staged[workspace]?.updateValue(nil, forKey: key) }
    }

    /// Makes the batch's rows current. Returns the usage of its events.
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

    /// Removes a removed workspace's rows. No batch may be under way.
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
