package import RelayCore
package import RelayProtocol
internal import Synchronization

/// The log and the credentials in memory: for tests and the simulation, where it stands for a disk that outlives the relay.
package final class InMemoryStore: Sendable {
    package let epoch: Epoch
    let content: Mutex<Content>

    /// What the tables of `SQLiteStore` hold.
    struct Content: Sendable {
        var workspaces: [Named<WorkspaceTag>] = []
        var tokens: [Token] = []
        var pairingCodes: [(code: PairingCode, isUsed: Bool)] = []
        /// In the order in which they came.
        var sessions: [Session] = []
        var numbers: [SessionKey: Int] = [:]
    }

    struct Session: Sendable {
        let key: SessionKey
        var state: SessionState
        var events: [[UInt8]] = []
        var approvals: [Approval] = []
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
            for session in content.sessions {
                state.sessions.append((session.key, session.state))
                for approval in session.approvals where approval.closedAt.map({ $0 >= resolvedSince }) ?? true {
                    state.approvals.append((session.key.workspace, approval))
                }
            }
            return state
        }
    }

    package func commit(_ batch: LogBatch) throws(StoreError) {
        try content.withLock { content throws(StoreError) in
            try content.check(batch)
            for append in batch.appends { content.append(append) }
        }
    }

    package func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) -> LogPage {
        page(of: session, limit: limit, bytesMax: bytesMax) { count in
            let after = Int(clamping: max(after, 0))
            return after < count ? Array(after..<count) : []
        }
    }

    package func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) -> LogPage {
        page(of: session, limit: limit, bytesMax: bytesMax) { count in
            let before = Int(clamping: max(before, 1))
            return (0..<min(before - 1, count)).reversed()
        }
    }

    /// `indices` says, for a number of events, which of them to take, nearest first.
    private func page(of key: SessionKey, limit: Int, bytesMax: Int, indices: (Int) -> [Int]) -> LogPage {
        content.withLock { content in
            var builder = PageBuilder(limit: limit, bytesMax: bytesMax)
            guard let number = content.numbers[key] else { return LogPage(first: 0, events: []) }
            let events = content.sessions[number].events
            let taken = indices(events.count).prefix { builder.take(events[$0]) }
            guard let first = taken.min() else { return LogPage(first: 0, events: []) }
            return LogPage(first: Int64(first + 1), events: taken.sorted().map { events[$0] })
        }
    }
}

extension InMemoryStore.Content {
    /// Throws where any of it contradicts what is stored or what stands before it, so that `append` cannot fail half-way.
    func check(_ batch: LogBatch) throws(StoreError) {
        var ahead: [SessionKey: SessionState] = [:]
        for append in batch.appends {
            try checkWorkspace(append.key.workspace)
            let stored = ahead[append.key] ?? numbers[append.key].map { sessions[$0].state }
            try append.check(storedSeq: stored?.seq ?? 0, host: stored?.summary.host.id)
            ahead[append.key] = append.state
        }
    }

    mutating func append(_ append: SessionAppend) {
        let number = numbers[append.key] ?? sessions.count
        if number == sessions.count {
            sessions.append(InMemoryStore.Session(key: append.key, state: append.state))
            numbers[append.key] = number
        }
        sessions[number].state = append.state
        sessions[number].events.append(contentsOf: append.events.map(\.bytes))
        for approval in append.approvals {
            if let index = sessions[number].approvals.firstIndex(where: { $0.id == approval.id }) {
                sessions[number].approvals[index] = approval
            } else {
                sessions[number].approvals.append(approval)
            }
        }
    }

    func checkWorkspace(_ workspace: WorkspaceID) throws(StoreError) {
        guard workspaces.contains(where: { $0.id == workspace }) else {
            throw StoreError(.conflict, "There is no workspace \(workspace).")
        }
    }
}
