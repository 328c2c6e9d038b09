package import RelayCore
package import RelayModel
package import RelayProtocol
internal import Synchronization

/// The log and the credentials in memory, for tests.
///
/// It has no audit log, and needs no maintenance.
package final class InMemoryStore: Sendable {
    package let epoch: Epoch
    let content: Mutex<Content>

    struct Content: Sendable {
        /// All workspaces, including removed ones.
        var workspaces: [Named<WorkspaceTag>] = []
        var removedWorkspaces: Set<WorkspaceID> = []
        var limits: [WorkspaceID: WorkspaceLimits] = [:]
        var erasedWorkspaces: Set<WorkspaceID> = []
        var registrations: [Registration] = []
        var tokens: [Token] = []
        var pairingCodes: [(code: PairingCode, isUsed: Bool)] = []
        /// Sessions in the order in which they came.
        var sessions: [Session] = []
        var numbers: [SessionKey: Int] = [:]
        var commands: [CommandKey: CommandRecord] = [:]
        var records: [PushRecord.Key: PushRecord] = [:]
        var clock: AgeClockRecord?
        /// Pictures, the oldest first.
        var pictures: [(key: SessionKey, picture: KeptPicture, at: Int64)] = []
    }

    struct Session: Sendable {
        let key: SessionKey
        var place: RemovedSession
        /// Nil once the session was removed.
        var state: SessionState?
        /// The number of `events[0]`.
        var firstSeq: Int64 = 1
        var events: [[UInt8]] = []
        var times: [Int64] = []
        var approvals: [Approval] = []

        func event(_ seq: Int64) -> [UInt8] { events[Int(seq - firstSeq)] }
    }

    struct CommandKey: Hashable {
        let workspace: WorkspaceID
        let client: ClientID
        let command: CommandID
    }

    package init(epoch: Epoch, workspaces: [Named<WorkspaceTag>]) {
        self.epoch = epoch
        content = Mutex(Content(workspaces: workspaces))
    }
}

extension InMemoryStore: SessionLog {
    package func load(resolvedSince: Int64) -> LogState {
        content.withLock { content in
            var state = LogState()
            for session in content.sessions where !content.removedWorkspaces.contains(session.key.workspace) {
                if let stored = session.state {
                    state.sessions.append((session.key, stored))
                } else {
                    state.addRemoved(session.key, session.place)
                }
                for approval in session.approvals where approval.stage.resolvedAt.map({ $0 >= resolvedSince }) ?? true {
                    state.approvals.append((session.key.workspace, approval))
                }
            }
            // Sorted, so that every run has the same order: simulations are replayed.
            state.commands = content.commands.values
                .filter { !content.removedWorkspaces.contains($0.workspace) }
                .sorted { ($0.at, $0.command.rawValue, $0.client.rawValue) < ($1.at, $1.command.rawValue, $1.client.rawValue) }
            state.clock = content.clock
            state.records = content.records.values
                .filter { $0.kind == .channel || !content.removedWorkspaces.contains($0.workspace) }
                .sorted { $0.key < $1.key }
            return state
        }
    }

    @discardableResult package func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        try content.withLock { content throws(LogError) in
            try batch.check(in: content.workspaces.map(\.id)) { key in
                content.session(key).map { ($0.place, $0.state == nil) }
            }
            var taken: [ApprovalName] = []
            for append in batch.appends { taken += content.append(append) }
            for trim in batch.trims { content.trim(trim) }
            content.record(batch.commands, forgettingBefore: batch.commandsForgottenBefore)
            if let clock = batch.clock { content.clock = clock }
            for record in batch.records { content.records[record.key] = record.bytes == nil ? nil : record.stored }
            return taken
        }
    }

    package func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) -> LogPage {
        content.withLock { content in
            guard let session = content.session(session) else { return LogPage(first: 0, events: []) }
            return LogPage(from: session.firstSeq, count: session.events.count, after: after, limit: limit, bytesMax: bytesMax)
            { session.event($0) }
        }
    }

    package func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) -> LogPage {
        content.withLock { content in
            guard let session = content.session(session) else { return LogPage(first: 0, events: []) }
            return LogPage(
                from: session.firstSeq, count: session.events.count, before: before, limit: limit, bytesMax: bytesMax
            ) { session.event($0) }
        }
    }

    package func places(of sessions: [SessionKey]) -> [SessionKey: RemovedSession] {
        content.withLock { content in
            sessions.reduce(into: [:]) { places, key in places[key] = content.session(key)?.place }
        }
    }

    package func approval(_ id: ApprovalID, of session: SessionKey) -> Approval? {
        content.withLock { content in
            content.session(session)?.approvals.first { $0.id == id }
        }
    }

    package func approvals(
        of host: HostID, in workspace: WorkspaceID, before: Int64, limit: Int, bytesMax: Int
    ) -> ApprovalPage {
        content.withLock { content in
            let its = content.sessions.filter { $0.key.workspace == workspace && $0.place.host == host }
            let all = its.flatMap { session in session.approvals.map { (session.state?.summary, $0) } }
            return ApprovalPage(of: all, before: before, limit: limit, bytesMax: bytesMax)
        }
    }
}

extension InMemoryStore.Content {
    /// Workspaces that were not removed.
    var standing: [Named<WorkspaceTag>] { workspaces.filter { !removedWorkspaces.contains($0.id) } }

    func session(_ key: SessionKey) -> InMemoryStore.Session? { numbers[key].map { sessions[$0] } }

    /// Returns the names under which an approval was requested again.
    mutating func append(_ append: SessionAppend) -> [ApprovalName] {
        let state = append.state
        let place = RemovedSession(host: state.summary.host.id, seq: state.seq, hostSeq: state.hostSeq)
        let number = numbers[append.key] ?? sessions.count
        if number == sessions.count {
            sessions.append(InMemoryStore.Session(key: append.key, place: place))
            numbers[append.key] = number
        }
        sessions[number].place = place
        sessions[number].state = state
        sessions[number].events.append(contentsOf: append.events.map(\.bytes))
        sessions[number].times.append(contentsOf: append.events.map(\.at))
        var taken: [ApprovalName] = []
        for approval in append.approvals {
            if let index = sessions[number].approvals.firstIndex(where: { $0.id == approval.id }) {
                if sessions[number].approvals[index].stage.isFinal {
                    taken.append(ApprovalName(append.key, approval.id))
                } else {
                    sessions[number].approvals[index] = approval
                }
            } else {
                sessions[number].approvals.append(approval)
            }
        }
        return taken
    }

    mutating func trim(_ trim: SessionTrim) {
        guard let number = numbers[trim.key] else { preconditionFailure("a trim was checked before it is done") }
        let through = trim.state == nil ? sessions[number].place.seq : trim.through
        let count = max(0, through - sessions[number].firstSeq + 1)
        forgetPictures(of: trim, upTo: sessions[number].times.prefix(Int(count)).last)
        sessions[number].events.removeFirst(Int(count))
        sessions[number].times.removeFirst(Int(count))
        sessions[number].firstSeq += count
        sessions[number].state = trim.state
        if let state = trim.state {
            sessions[number].place.hostSeq = state.hostSeq
        } else {
            sessions[number].place.usage = trim.usage
            sessions[number].approvals = []
        }
    }

    mutating func record(_ records: [CommandRecord], forgettingBefore: Int64?) {
        for record in records {
            let key = InMemoryStore.CommandKey(workspace: record.workspace, client: record.client, command: record.command)
            if commands[key] == nil { commands[key] = record }
        }
        if let forgettingBefore { commands = commands.filter { $0.value.at >= forgettingBefore } }
    }

    func checkWorkspace(_ workspace: WorkspaceID) throws(LogError) {
        guard standing.contains(where: { $0.id == workspace }) else {
            throw LogError(.conflict, "There is no workspace \(workspace).")
        }
    }
}
