import RelayCore
import RelayProtocol

/// The relay's disk: what is on it outlives every crash. Also remembers all that was ever on it, which is what the checkers
/// compare with.
final class SimulatedLog {
    struct Stored {
        let host: HostID
        /// All events that ever were; the log still holds those from `heldFrom` on.
        var events: [[UInt8]] = []
        var heldFrom: Int64 = 1
        /// Retention removed all through here; what followed began anew, from what had been used up.
        var begunAfter: Int64 = 0
        var usage: [UInt8] = []
        /// As bytes, so that a start reads what a commit wrote. Nil where retention removed the session.
        var state: [UInt8]?
        var hostSeq: Int64 = 0
        /// The latest of each, in the order they were opened.
        var approvals: [ApprovalID: [UInt8]] = [:]
        /// Every stage that each approval ever had on disk, with the event that brought it.
        var stages: [ApprovalID: [Int64: ApprovalStage]] = [:]
        var decisions: [ApprovalID: Decision] = [:]
        var ends: [ApprovalID: ApprovalStage] = [:]

        var seq: Int64 { Int64(events.count) }
    }

    let epoch = Epoch("e1")!
    private(set) var sessions: [SessionKey: Stored] = [:]
    /// In the order they were first seen.
    private(set) var order: [SessionKey] = []
    private(set) var commands: [CommandRecord] = []
    /// What the planner of pushes keeps, by kind, workspace and name.
    private(set) var records: [String: PushRecord] = [:]

    // MARK: Writing

    typealias Complaint = (checker: CheckerName, sentence: String)

    /// Nil, or why this batch contradicts what is stored.
    func commit(_ batch: LogBatch) -> Complaint? {
        for append in batch.appends {
            let known = sessions[append.key]
            let seq = known?.seq ?? 0
            guard append.firstSeq == seq + 1 else {
                return (.retention, "a batch goes on at \(append.firstSeq) of \(append.key.session), which has \(seq) events")
            }
            guard append.state.seq == seq + Int64(append.events.count) else {
                return (
                    .retention,
                    "a batch's state of \(append.key.session) is after \(append.state.seq), its events end elsewhere"
                )
            }
            if known == nil { order.append(append.key) }
            var stored = known ?? Stored(host: append.state.summary.host.id)
            guard stored.host == append.state.summary.host.id else {
                return (.retention, "\(append.key.session) changed hosts")
            }
            if stored.state == nil { stored.begunAfter = stored.seq }
            guard append.state.hostSeq >= stored.hostSeq else {
                return (.completeness, "the host's numbering of \(append.key.session) fell")
            }
            stored.events += append.events.map(\.bytes)
            stored.state = append.state.bytes
            stored.hostSeq = append.state.hostSeq
            for approval in append.approvals {
                if let end = stored.ends[approval.id] {
                    return (.decision, "\(approval.id) changed after its end, \(end.rawValue)")
                }
                stored.approvals[approval.id] = approval.bytes
                stored.stages[approval.id, default: [:]][approval.seq] = approval.stage
                if approval.stage.isFinal { stored.ends[approval.id] = approval.stage }
                guard let decision = approval.decision else { continue }
                if let winner = stored.decisions[approval.id], winner != decision {
                    return (.decision, "\(approval.id) was decided twice: by \(winner.command) and by \(decision.command)")
                }
                stored.decisions[approval.id] = decision
            }
            sessions[append.key] = stored
        }
        for trim in batch.trims {
            guard var stored = sessions[trim.key] else {
                return (.retention, "\(trim.key.session) is trimmed, and is not there")
            }
            guard trim.through <= stored.seq else { return (.retention, "\(trim.key.session) is trimmed beyond its end") }
            guard !batch.appends.contains(where: { $0.key == trim.key }) else {
                return (.retention, "\(trim.key.session) is added to and trimmed")
            }
            if trim.state == nil, stored.stages.keys.contains(where: { stored.ends[$0] == nil }) {
                return (.retention, "\(trim.key.session) is removed with an open approval")
            }
            stored.heldFrom = max(stored.heldFrom, trim.through + 1)
            stored.state = trim.state?.bytes
            if trim.state == nil {
                stored.heldFrom = stored.seq + 1
                stored.usage = trim.usage
                stored.approvals = [:]
            }
            sessions[trim.key] = stored
        }
        for record in batch.records {
            records[Self.name(record.kind, record.workspace, record.name)] = record.bytes == nil ? nil : record
        }
        commands += batch.commands
        if let before = batch.commandsForgottenBefore { commands.removeAll { $0.at < before } }
        return nil
    }

    func holds(_ push: PushOrder) -> Bool {
        records[Self.name(.push, push.workspace, String(push.id.rawValue))] != nil
    }

    private static func name(_ kind: PushRecord.Kind, _ workspace: WorkspaceID, _ name: String) -> String {
        "\(kind.rawValue) \(workspace) \(name)"
    }

    // MARK: Reading, as the relay may

    func page(_ query: LogQuery) -> LogPage {
        guard let stored = sessions[query.key], stored.state != nil else { return LogPage(first: 0, events: []) }
        var taken: [Int64] = []
        var bytes = 0
        func take(_ seq: Int64) -> Bool {
            let size = stored.events[Int(seq) - 1].count
            guard taken.count < query.limit, taken.isEmpty || bytes + size <= query.bytesMax else { return false }
            bytes += size
            taken.append(seq)
            return true
        }
        switch query.range {
        case .after(let seq):
            var next = max(seq + 1, stored.heldFrom)
            while next <= stored.seq, take(next) { next += 1 }
        case .before(let seq):
            var next = min(seq - 1, stored.seq)
            while next >= stored.heldFrom, take(next) { next -= 1 }
            taken.reverse()
        }
        guard let first = taken.first else { return LogPage(first: 0, events: []) }
        return LogPage(first: first, events: taken.map { stored.events[Int($0) - 1] })
    }

    func load(resolvedSince: Int64, commandsSince: Int64) throws(WireError) -> LogState {
        var state = LogState()
        for key in order {
            guard let stored = sessions[key] else { continue }
            guard let bytes = stored.state else {
                state.removed.append((key, place(of: stored)))
                continue
            }
            state.sessions.append((key, try SessionState(stored: bytes)))
            for (_, bytes) in stored.approvals.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let approval = try Approval(from: JSONDocument(parsing: bytes).root)
                guard approval.resolvedAt.map({ $0 >= resolvedSince }) ?? true else { continue }
                state.approvals.append((key.workspace, approval))
            }
        }
        state.commands = commands.filter { $0.at >= commandsSince }
        state.records = records.sorted { $0.key < $1.key }.map(\.value)
        return state
    }

    func places(of keys: [SessionKey]) -> [SessionKey: RemovedSession] {
        keys.reduce(into: [:]) { places, key in places[key] = sessions[key].map(place) }
    }

    private func place(of stored: Stored) -> RemovedSession {
        RemovedSession(host: stored.host, seq: stored.seq, hostSeq: stored.hostSeq, usage: stored.usage)
    }

    func approval(_ id: ApprovalID, of key: SessionKey) throws(WireError) -> Approval? {
        guard let bytes = sessions[key]?.approvals[id] else { return nil }
        return try Approval(from: JSONDocument(parsing: bytes).root)
    }
}
