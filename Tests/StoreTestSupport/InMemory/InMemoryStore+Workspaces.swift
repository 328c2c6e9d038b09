package import RelayCore
internal import RelayModel
package import RelayProtocol
internal import Synchronization

extension InMemoryStore: WorkspaceStore {
    package func addWorkspace(_ workspace: Named<WorkspaceTag>, at: Int64?) throws(LogError) {
        try content.withLock { content throws(LogError) in
            guard !content.workspaces.contains(where: { $0.id == workspace.id }) else {
                throw LogError(.conflict, "There is a workspace \(workspace.id) already.")
            }
            try WorkspaceRules.check(workspace.name, beside: content.standing)
            content.workspaces.append(workspace)
        }
    }

    package func register(
        _ workspace: Named<WorkspaceTag>, _ registration: Registration, by rules: RegistrationRules
    ) throws(LogError) -> RegistrationRules.Refusal? {
        let count = content.withLock { $0.standing.count }
        if let refusal = rules.refusal(of: registration.from, beside: registrations(), among: count) { return refusal }
        try addWorkspace(workspace, at: registration.at)
        content.withLock { content in
            content.registrations.append(registration)
            content.limits[workspace.id] = rules.newcomer.limits
        }
        return nil
    }

    package func registrations() -> [Registration] {
        content.withLock { content in
            content.registrations.filter { one in content.standing.contains { $0.id == one.workspace } }
        }
    }

    package func renameWorkspace(_ id: WorkspaceID, to name: String, at: Int64) throws(LogError) -> Bool {
        try content.withLock { content throws(LogError) in
            guard content.standing.contains(where: { $0.id == id }) else { return false }
            try WorkspaceRules.check(name, beside: content.standing.filter { $0.id != id })
            content.workspaces = content.workspaces.map { $0.id == id ? Named(id: id, name: name) : $0 }
            return true
        }
    }

    package func usage() -> [WorkspaceID: WorkspaceUsage] {
        content.withLock { content in
            var found: [WorkspaceID: WorkspaceUsage] = [:]
            for session in content.sessions {
                guard let state = session.state else { continue }
                found[session.key.workspace, default: WorkspaceUsage()].sessions += 1
                found[session.key.workspace, default: WorkspaceUsage()].eventBytes += state.eventBytes
            }
            for picture in content.pictures {
                found[picture.key.workspace, default: WorkspaceUsage()].pictureBytes += Int64(picture.picture.content.count)
            }
            return found
        }
    }

    package func limits() -> [WorkspaceID: WorkspaceLimits] {
        content.withLock { content in content.limits.filter { limits in content.standing.contains { $0.id == limits.key } } }
    }

    @discardableResult package func changeLimits(
        of id: WorkspaceID, _ change: (inout WorkspaceLimits) -> Void
    ) -> WorkspaceLimits? {
        content.withLock { content in
            guard content.standing.contains(where: { $0.id == id }) else { return nil }
            var limits = content.limits[id] ?? WorkspaceLimits()
            change(&limits)
            content.limits[id] = limits.isEmpty ? nil : limits
            return limits
        }
    }

    package func removeWorkspace(_ id: WorkspaceID, at: Int64) throws(LogError) -> [Token]? {
        try content.withLock { content throws(LogError) in
            guard content.standing.contains(where: { $0.id == id }) else { return nil }
            try WorkspaceRules.checkRemoval(of: id, first: content.standing.first?.id)
            let ended = content.tokens.filter { $0.workspace == id && $0.revokedAt == nil }
            for token in ended { content.change(token.id) { $0.revokedAt = at } }
            content.pairingCodes.removeAll { $0.code.workspace == id }
            content.removedWorkspaces.insert(id)
            return ended
        }
    }

    package func eraseWorkspace(_ id: WorkspaceID) throws(LogError) {
        try content.withLock { content throws(LogError) in
            guard content.removedWorkspaces.contains(id) else {
                throw LogError(.conflict, "The workspace \(id) was not removed.")
            }
            content.erasedWorkspaces.insert(id)
            content.workspaces = content.workspaces.map { $0.id == id ? Named(id: id, name: "") : $0 }
            for token in content.tokens where token.workspace == id {
                content.change(token.id) {
                    $0.name = ""
                    $0.lastUse = nil
                    $0.pageKeyDigest = nil
                }
            }
        }
    }

    package func erasedWorkspaces() -> [WorkspaceID] {
        content.withLock { content in content.workspaces.map(\.id).filter { content.erasedWorkspaces.contains($0) } }
    }

    package func removedWorkspaces() -> [WorkspaceID] {
        content.withLock { content in content.workspaces.map(\.id).filter { content.removedWorkspaces.contains($0) } }
    }

    package func workspacesToClear() -> [WorkspaceID] {
        content.withLock { content in
            content.workspaces.map(\.id).filter { content.removedWorkspaces.contains($0) && !content.isClear($0) }
        }
    }

    package func removeData(of workspace: WorkspaceID, rowsMax: Int) throws(LogError) -> Bool {
        try content.withLock { content throws(LogError) in
            guard content.removedWorkspaces.contains(workspace) else {
                throw LogError(.conflict, "The workspace \(workspace) was not removed.")
            }
            return content.removeData(of: workspace, rowsMax: rowsMax)
        }
    }
}

extension InMemoryStore.Content {
    fileprivate mutating func removeData(of workspace: WorkspaceID, rowsMax: Int) -> Bool {
        commands = commands.filter { $0.key.workspace != workspace }
        records = records.filter { $0.key.workspace != workspace || $0.value.kind == .channel }
        pictures.removeAll { $0.key.workspace == workspace }
        var left = rowsMax
        while left > 0, let number = sessions.firstIndex(where: { $0.key.workspace == workspace }) {
            let count = min(left, sessions[number].events.count)
            sessions[number].events.removeFirst(count)
            sessions[number].times.removeFirst(count)
            sessions[number].firstSeq += Int64(count)
            left -= count
            guard left > 0 else { break }
            sessions.remove(at: number)
            left -= 1
            numbers = Dictionary(uniqueKeysWithValues: sessions.enumerated().map { ($1.key, $0) })
        }
        return isClear(workspace)
    }

    fileprivate func isClear(_ workspace: WorkspaceID) -> Bool {
        !sessions.contains { $0.key.workspace == workspace } && !commands.contains { $0.key.workspace == workspace }
            && !records.contains { $0.key.workspace == workspace && $0.value.kind != .channel }
    }
}
