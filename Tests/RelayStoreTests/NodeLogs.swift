import RelayCore
import RelayModel
import RelayProtocol
import StorePostgres
import StoreTestSupport
import Testing

/// The logs of a node that owns several workspaces, each of one workspace, as one log.
///
/// A batch for several workspaces is committed as one batch after the other: that of the first workspace comes last, so that it is
/// missing if another's was refused.
struct NodeLogs: SessionLog {
    private let names: [WorkspaceID]
    private let owned: [WorkspaceID: PostgresWorkspace]

    init(_ names: [WorkspaceID]) throws {
        let node = try Scratch.current.openPostgresNode()
        self.names = names
        for name in names { try node.credentials.addWorkspace(Named(id: name, name: name.rawValue)) }
        var owned: [WorkspaceID: PostgresWorkspace] = [:]
        for name in names {
            let claimed = try #require(try node.claim(name))
            owned[name] = claimed
        }
        self.owned = owned
    }

    private func log(_ workspace: WorkspaceID) throws(LogError) -> PostgresSessionLog {
        guard let owned = owned[workspace] else { throw LogError(.conflict, "The node owns no workspace \(workspace).") }
        return owned.log
    }

    var epoch: Epoch { owned[names[0]]!.log.epoch }

    func load(resolvedSince: Int64) throws(LogError) -> LogState {
        var all = LogState()
        for name in names {
            let state = try log(name).load(resolvedSince: resolvedSince)
            all.sessions += state.sessions
            all.approvals += state.approvals
            all.commands += state.commands
            all.records += state.records
            all.clock = all.clock ?? state.clock
            for (key, place) in state.removed { all.addRemoved(key, place) }
        }
        return all
    }

    func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        for workspace in batch.workspaces { _ = try log(workspace) }
        var taken: [ApprovalName] = []
        for name in names.reversed() {
            var part = batch
            part.appends.removeAll { $0.key.workspace != name }
            part.trims.removeAll { $0.key.workspace != name }
            part.commands.removeAll { $0.workspace != name }
            part.records.removeAll { $0.workspace != name }
            taken += try log(name).commit(part)
        }
        return taken
    }

    func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage {
        try log(session.workspace).events(of: session, after: after, limit: limit, bytesMax: bytesMax)
    }

    func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage {
        try log(session.workspace).events(of: session, before: before, limit: limit, bytesMax: bytesMax)
    }

    func places(of sessions: [SessionKey]) throws(LogError) -> [SessionKey: RemovedSession] {
        var places: [SessionKey: RemovedSession] = [:]
        for name in names { places.merge(try log(name).places(of: sessions)) { _, later in later } }
        return places
    }

    func approval(_ id: ApprovalID, of session: SessionKey) throws(LogError) -> Approval? {
        try log(session.workspace).approval(id, of: session)
    }

    func approvals(
        of host: HostID, in workspace: WorkspaceID, before: Int64, limit: Int, bytesMax: Int
    ) throws(LogError) -> ApprovalPage {
        try log(workspace).approvals(of: host, in: workspace, before: before, limit: limit, bytesMax: bytesMax)
    }
}
