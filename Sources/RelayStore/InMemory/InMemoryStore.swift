package import RelayCore
package import RelayProtocol
internal import Synchronization

/// The log and the credentials in memory, for tests.
///
/// It keeps no audit log, and there is nothing to keep in order.
package final class InMemoryStore: Sendable {
    package let epoch: Epoch
    let content: Mutex<Content>

    /// What a store's tables hold.
    struct Content: Sendable {
        var workspaces: [Named<WorkspaceTag>] = []
        var tokens: [Token] = []
        var pairingCodes: [(code: PairingCode, isUsed: Bool)] = []
        /// In the order in which they came.
        var sessions: [Session] = []
        var numbers: [SessionKey: Int] = [:]
        var commands: [CommandKey: CommandRecord] = [:]
        var records: [PushRecord.Key: PushRecord] = [:]
        var clock: AgeClockRecord?
    }

    struct Session: Sendable {
        let key: SessionKey
        var place: RemovedSession
        /// Nil once it was removed.
        var state: SessionState?
        /// The number of `events[0]`.
        var firstSeq: Int64 = 1
        var events: [[UInt8]] = []
        var approvals: [Approval] = []
    }

    /// What makes a command one.
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
    package func load(resolvedSince: Int64, commandsSince: Int64) -> LogState {
        content.withLock { content in
            var state = LogState()
            for session in content.sessions {
                if let stored = session.state {
                    state.sessions.append((session.key, stored))
                } else {
                    state.addRemoved(session.key, session.place)
                }
                for approval in session.approvals where approval.closedAt.map({ $0 >= resolvedSince }) ?? true {
                    state.approvals.append((session.key.workspace, approval))
                }
            }
            // In an order that is the same in every run: simulations replay.
            state.commands = content.commands.values.filter { $0.at >= commandsSince }
                .sorted { ($0.at, $0.command.rawValue, $0.client.rawValue) < ($1.at, $1.command.rawValue, $1.client.rawValue) }
            state.clock = content.clock
            state.records = content.records.values.sorted { $0.key < $1.key }
            return state
        }
    }

    @discardableResult package func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        try content.withLock { content throws(LogError) in
            try content.check(batch)
            var taken: [ApprovalName] = []
            for append in batch.appends { taken += content.append(append) }
            for trim in batch.trims { content.trim(trim) }
            content.record(batch.commands, forgettingBefore: batch.commandsForgottenBefore)
            if let clock = batch.clock { content.clock = clock }
            for record in batch.records { content.records[record.key] = record.bytes == nil ? nil : record }
            return taken
        }
    }

    package func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) -> LogPage {
        page(of: session, limit: limit, bytesMax: bytesMax) { numbers in
            Array(numbers.clamped(to: min(max(after, 0), .max - 1) + 1..<Int64.max))
        }
    }

    package func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) -> LogPage {
        page(of: session, limit: limit, bytesMax: bytesMax) { numbers in
            numbers.clamped(to: 0..<max(before, 0)).reversed()
        }
    }

    package func places(of sessions: [SessionKey]) -> [SessionKey: RemovedSession] {
        content.withLock { content in
            sessions.reduce(into: [:]) { places, key in places[key] = content.numbers[key].map { content.sessions[$0].place } }
        }
    }

    package func approval(_ id: ApprovalID, of session: SessionKey) -> Approval? {
        content.withLock { content in
            content.numbers[session].flatMap { content.sessions[$0].approvals.first { $0.id == id } }
        }
    }

    /// `wanted` says, for the numbers of the events that are there, which of them to take, nearest first.
    private func page(of key: SessionKey, limit: Int, bytesMax: Int, wanted: (Range<Int64>) -> [Int64]) -> LogPage {
        content.withLock { content in
            var builder = PageBuilder(limit: limit, bytesMax: bytesMax)
            guard let session = content.numbers[key].map({ content.sessions[$0] }) else { return LogPage(first: 0, events: []) }
            let numbers = session.firstSeq..<session.firstSeq + Int64(session.events.count)
            let taken = wanted(numbers).prefix { builder.take(session.events[Int($0 - session.firstSeq)]) }
            guard let first = taken.min() else { return LogPage(first: 0, events: []) }
            return LogPage(first: first, events: taken.sorted().map { session.events[Int($0 - session.firstSeq)] })
        }
    }
}

extension InMemoryStore.Content {
    /// Throws where any of it contradicts what is stored or what stands before it, so that what follows cannot fail half-way.
    func check(_ batch: LogBatch) throws(LogError) {
        try batch.check()
        var ahead: [SessionKey: SessionState] = [:]
        for append in batch.appends {
            try checkWorkspace(append.key.workspace)
            let place = numbers[append.key].map { sessions[$0].place }
            let state = ahead[append.key]
            try append.check(storedSeq: state?.seq ?? place?.seq ?? 0, host: state?.summary.host.id ?? place?.host)
            ahead[append.key] = append.state
        }
        for trim in batch.trims {
            let session = numbers[trim.key].map { sessions[$0] }
            try trim.check(
                storedSeq: session?.place.seq, host: session?.place.host, isRemoved: session.map { $0.state == nil } ?? false)
        }
        for command in batch.commands { try checkWorkspace(command.workspace) }
        for record in batch.records where record.bytes != nil { try checkWorkspace(record.workspace) }
    }

    /// Hands back the names under which something was asked anew.
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
        sessions[number].events.removeFirst(Int(count))
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
        guard workspaces.contains(where: { $0.id == workspace }) else {
            throw LogError(.conflict, "There is no workspace \(workspace).")
        }
    }
}
