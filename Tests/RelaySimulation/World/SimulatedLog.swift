import PushPlanner
package import RelayCore
package import RelayModel
package import RelayProtocol

/// The relay's disk: its content survives every crash. Also remembers everything that was ever on it, as the reference for the
/// checkers, and reports errors that these would not notice.
///
/// Confined to one world and its thread. It implements only the log: a world has no access checks or backups, and a full disk is a
/// fault.
package final class SimulatedLog: SessionLog {
    struct Stored {
        let host: HostID
        /// All events that ever existed; the log still has those from `keptFrom` on.
        var events: [[UInt8]] = []
        var keptFrom: Int64 = 1
        /// Last event that retention removed with the whole session, which then began again, keeping its usage.
        var begunAfter: Int64 = 0
        var usage: [UInt8] = []
        /// Stored as bytes, so that a start reads what a commit wrote. Nil if retention removed the session.
        var state: [UInt8]?
        var hostSeq: Int64 = 0
        /// The latest state of each approval, in order of opening.
        var approvals: [(id: ApprovalID, bytes: [UInt8])] = []
        /// Every stage that each approval ever had on disk, with the event that brought it.
        var stages: [ApprovalID: [Int64: ApprovalStage.Word]] = [:]
        var decisions: [ApprovalID: Decision] = [:]
        var ends: [ApprovalID: ApprovalStage.Word] = [:]

        var seq: Int64 { Int64(events.count) }
        var keptCount: Int { Int(seq - keptFrom) + 1 }
        var place: RemovedSession { RemovedSession(host: host, seq: seq, hostSeq: hostSeq, usage: state == nil ? usage : []) }
    }

    package let epoch = Epoch("e1")!
    private let workspaces: [WorkspaceID]
    private(set) var sessions: [SessionKey: Stored] = [:]
    /// Sessions in the order in which they were first seen.
    private(set) var order: [SessionKey] = []
    private var commands: [CommandRecord] = []
    /// Records of the planner of pushes.
    private var records: [PushRecord.Key: PushRecord] = [:]
    private var clock: AgeClockRecord?
    /// The first commit that a log accepts, but a relay must not order.
    private(set) var complaint: Complaint?

    package init(workspaces: [WorkspaceID]) { self.workspaces = workspaces }

    // MARK: Writing

    typealias Complaint = (checker: CheckerName, sentence: String)

    private func complain(_ checker: CheckerName, _ sentence: String) { complaint = complaint ?? (checker, sentence) }

    @discardableResult package func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        try batch.check(in: workspaces) { key in sessions[key].map { ($0.place, $0.state == nil) } }
        var taken: [ApprovalName] = []
        for append in batch.appends { taken += self.append(append) }
        for trim in batch.trims { self.trim(trim) }
        for record in batch.records { records[record.key] = record.bytes == nil ? nil : record.stored }
        for command in batch.commands
        where !commands.contains(where: {
            ($0.workspace, $0.client, $0.command) == (command.workspace, command.client, command.command)
        }) {
            commands.append(command)
        }
        if let before = batch.commandsForgottenBefore { commands.removeAll { $0.at < before } }
        clock = batch.clock ?? clock
        return taken
    }

    private func append(_ append: SessionAppend) -> [ApprovalName] {
        if sessions[append.key] == nil { order.append(append.key) }
        var stored = sessions[append.key] ?? Stored(host: append.state.summary.host.id)
        if stored.state == nil { stored.begunAfter = stored.seq }
        if append.state.hostSeq < stored.hostSeq {
            complain(.completeness, "the host's numbering of \(append.key.session) fell")
        }
        stored.events += append.events.map(\.bytes)
        stored.state = append.state.bytes
        stored.hostSeq = append.state.hostSeq
        var taken: [ApprovalName] = []
        for approval in append.approvals {
            let index = stored.approvals.firstIndex { $0.id == approval.id }
            if let end = stored.ends[approval.id] {
                complain(.decision, "\(approval.id) changed after its end, \(end.rawValue)")
                if index != nil {
                    taken.append(ApprovalName(append.key, approval.id))
                    continue
                }
            }
            if let index {
                stored.approvals[index].bytes = approval.bytes
            } else {
                stored.approvals.append((approval.id, approval.bytes))
            }
            stored.stages[approval.id, default: [:]][approval.seq] = approval.stage.word
            stored.ends[approval.id] = approval.stage.isFinal ? approval.stage.word : nil
            guard let decision = approval.decision else { continue }
            if let winner = stored.decisions[approval.id], winner != decision {
                complain(.decision, "\(approval.id) was decided twice: by \(winner.command) and by \(decision.command)")
            }
            stored.decisions[approval.id] = decision
        }
        sessions[append.key] = stored
        return taken
    }

    private func trim(_ trim: SessionTrim) {
        guard var stored = sessions[trim.key] else { preconditionFailure("a trim was checked before it is done") }
        stored.keptFrom = max(stored.keptFrom, trim.through + 1)
        stored.state = trim.state?.bytes
        if let state = trim.state {
            stored.hostSeq = state.hostSeq
        } else {
            if stored.stages.keys.contains(where: { stored.ends[$0] == nil }) {
                complain(.retention, "\(trim.key.session) is removed with an open approval")
            }
            stored.keptFrom = stored.seq + 1
            stored.usage = trim.usage
            stored.approvals = []
        }
        sessions[trim.key] = stored
    }

    /// Removes part of a removed workspace, like a store: a session at a time.
    func removeSome() {
        (commands, records) = ([], [:])
        guard !order.isEmpty else { return }
        sessions[order.removeFirst()] = nil
    }

    var isEmpty: Bool { sessions.isEmpty && commands.isEmpty && records.isEmpty }

    func holds(_ push: PushIntent) -> Bool {
        let name = PushRecord(workspace: push.workspace, kind: .push, name: String(push.id.rawValue), bytes: nil).key
        return records[name] != nil
    }

    /// Pushes that are kept.
    var pushes: Set<PushID> {
        Set(records.keys.compactMap { $0.kind == .push ? PushID(text: $0.name) : nil })
    }

    // MARK: Reading

    package func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) -> LogPage {
        guard let stored = sessions[session] else { return LogPage(first: 0, events: []) }
        return LogPage(from: stored.keptFrom, count: stored.keptCount, after: after, limit: limit, bytesMax: bytesMax) {
            stored.events[Int($0) - 1]
        }
    }

    package func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) -> LogPage {
        guard let stored = sessions[session] else { return LogPage(first: 0, events: []) }
        return LogPage(from: stored.keptFrom, count: stored.keptCount, before: before, limit: limit, bytesMax: bytesMax) {
            stored.events[Int($0) - 1]
        }
    }

    package func load(resolvedSince: Int64) throws(LogError) -> LogState {
        var state = LogState()
        for key in order {
            guard let stored = sessions[key] else { continue }
            guard let bytes = stored.state else {
                state.addRemoved(key, stored.place)
                continue
            }
            state.sessions.append((key, try decode { () throws(WireError) in try SessionState(stored: bytes) }))
            for (_, bytes) in stored.approvals {
                let approval = try self.approval(bytes)
                if approval.stage.resolvedAt.map({ $0 >= resolvedSince }) ?? true {
                    state.approvals.append((key.workspace, approval))
                }
            }
        }
        state.commands = commands
        state.records = records.values.sorted { $0.key < $1.key }
        state.clock = clock
        return state
    }

    package func places(of keys: [SessionKey]) -> [SessionKey: RemovedSession] {
        keys.reduce(into: [:]) { places, key in places[key] = sessions[key]?.place }
    }

    package func approval(_ id: ApprovalID, of key: SessionKey) throws(LogError) -> Approval? {
        guard let stored = sessions[key]?.approvals.first(where: { $0.id == id }) else { return nil }
        return try approval(stored.bytes)
    }

    package func approvals(
        of host: HostID, in workspace: WorkspaceID, before: Int64, limit: Int, bytesMax: Int
    ) throws(LogError) -> ApprovalPage {
        var all: [(summary: Summary?, approval: Approval)] = []
        for (key, stored) in sessions where key.workspace == workspace && stored.place.host == host {
            let summary = try stored.state.map { bytes throws(LogError) in
                try decode { () throws(WireError) in try SessionState(stored: bytes) }.summary
            }
            for (_, bytes) in stored.approvals { all.append((summary, try approval(bytes))) }
        }
        return ApprovalPage(of: all, before: before, limit: limit, bytesMax: bytesMax)
    }

    private func approval(_ bytes: [UInt8]) throws(LogError) -> Approval {
        try decode { () throws(WireError) in try Approval(from: JSONDocument(parsing: bytes).root) }
    }

    private func decode<Value>(_ body: () throws(WireError) -> Value) throws(LogError) -> Value {
        do throws(WireError) { return try body() } catch {
            throw LogError(.damaged(.record), "What was stored does not decode: \(error)")
        }
    }
}
