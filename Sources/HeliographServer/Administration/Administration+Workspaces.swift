import Foundation
import HeliographCrypto
package import RelayCore
package import RelayProtocol

/// Commands on workspaces, whether the relay runs or not.
extension Administration {
    /// True if the data is in a PostgreSQL database.
    package var isInDatabase: Bool { store.addresses != nil }

    /// The existing workspaces, the first one first.
    package func workspaces() throws -> [Named<WorkspaceTag>] { try store.credentials.workspaces() }

    /// The workspace with that name or id; nil: the first one.
    package func workspace(_ called: String?) throws -> Named<WorkspaceTag> {
        let all = try workspaces()
        let found = called.map { called in all.first { $0.name == called } ?? all.first { $0.id.rawValue == called } }
        guard let workspace = found ?? all.first else {
            throw ServerError(.workspace, "There is no workspace \(VisibleText.line(called ?? "")).")
        }
        return workspace
    }

    package func credentials(in workspace: Named<WorkspaceTag>) -> Credentials {
        Credentials(store: store.credentials, workspace: workspace)
    }

    package func addWorkspace(_ name: String) throws -> Named<WorkspaceTag> {
        guard let id = WorkspaceID(Secret.identifier(prefix: "w_")) else {
            preconditionFailure("an identifier is spelled as one")
        }
        let workspace = Named<WorkspaceTag>(id: id, name: name)
        try store.workspaces.addWorkspace(workspace, at: WallClock.milliseconds)
        try tokensChanged()
        return workspace
    }

    /// Renames a workspace. Connected peers see the new name when they reconnect.
    package func renameWorkspace(_ workspace: Named<WorkspaceTag>, to name: String) throws {
        _ = try store.workspaces.renameWorkspace(workspace.id, to: name, at: WallClock.milliseconds)
        try tokensChanged()
    }

    package func workspaceUsage() throws -> [WorkspaceID: WorkspaceUsage] { try store.workspaces.usage() }

    /// Origins of registered workspaces, by id.
    package func registrations() throws -> [WorkspaceID: Registration] {
        Dictionary(uniqueKeysWithValues: try store.workspaces.registrations().map { ($0.workspace, $0) })
    }

    package func workspaceLimits() throws -> [WorkspaceID: WorkspaceLimits] { try store.workspaces.limits() }

    /// Changes limits, and returns the new ones. A running relay applies them at once.
    package func changeLimits(
        of workspace: Named<WorkspaceTag>, _ change: (inout WorkspaceLimits) -> Void
    ) throws -> WorkspaceLimits {
        let limits = try store.workspaces.changeLimits(of: workspace.id, change)
        try tokensChanged()
        return limits ?? WorkspaceLimits()
    }

    /// Result of a removal.
    package struct WorkspaceRemoval {
        package let workspaces: [WorkspaceID]
        /// Tokens that were revoked with the workspace.
        package let tokens: [Token]
        /// Reason why its data is still there; nil: it is deleted. The running relay continues to delete it, or the next one that
        /// runs.
        package let remains: String?
    }

    /// Wait for a running relay to delete the data: a thousand rows and more every few milliseconds.
    private static let removalPatience = Duration.seconds(10)
    private static let removalInterval = 0.1

    /// Removes a workspace. `called` may also be the id of one that was removed before and that the relay does not know to be
    /// removed. When this returns, all its peers are disconnected; two seconds later if the relay runs elsewhere on the database.
    ///
    /// `erasing`: its audit log and all names are deleted, too.
    package func removeWorkspace(_ called: String, erasing: Bool = false) throws -> WorkspaceRemoval {
        let (id, tokens) = try endWorkspace(called)
        if erasing { try store.workspaces.eraseWorkspace(id) }
        return try removeData(of: [id], with: tokens)
    }

    /// Registered workspaces by the network they were registered from, such as `2001:db8::/48`.
    package func workspaces(registeredFrom network: String) throws -> [WorkspaceID] {
        guard let network = IPNetwork(network) else { throw ServerError(.workspace, "\(network) is no network.") }
        return try store.workspaces.registrations().filter { IPAddress($0.from).map(network.contains) ?? false }
            .map(\.workspace)
    }

    package static func isNetwork(_ text: String) -> Bool { IPNetwork(text) != nil }

    /// Deletes the workspaces, as `removeWorkspace` does, and waits for all of them together.
    package func deleteWorkspaces(_ workspaces: [WorkspaceID]) throws -> WorkspaceRemoval {
        var tokens: [Token] = []
        for workspace in workspaces {
            tokens += try store.workspaces.removeWorkspace(workspace, at: WallClock.milliseconds) ?? []
            try store.workspaces.eraseWorkspace(workspace)
        }
        return try removeData(of: workspaces, with: tokens)
    }

    private func removeData(of workspaces: [WorkspaceID], with tokens: [Token]) throws -> WorkspaceRemoval {
        let isHeld = try tokensChanged() || store.isHeldElsewhere()
        let remains = isHeld ? try awaitRemoval(of: workspaces) : workspaces.compactMap { removeData(of: $0) }.first
        return WorkspaceRemoval(workspaces: workspaces, tokens: tokens, remains: remains)
    }

    private func awaitRemoval(of workspaces: [WorkspaceID]) throws -> String? {
        let deadline = ContinuousClock.now + Self.removalPatience
        while try !Set(store.workspaces.workspacesToClear()).isDisjoint(with: workspaces) {
            guard ContinuousClock.now < deadline else {
                return
                    "the relay is not done after \(Self.removalPatience.components.seconds) s; its log says if something is in the way"
            }
            Thread.sleep(forTimeInterval: Self.removalInterval)
        }
        return nil
    }

    /// Deletes the data in a store that no relay uses; returns the reason if that fails. In any case nobody can connect to the
    /// workspace any more.
    private func removeData(of workspace: WorkspaceID) -> String? {
        do {
            while try !store.workspaces.removeData(of: workspace, rowsMax: WorkspaceRules.removedRowsMax) {}
            return nil
        } catch { return "\(error)" }
    }

    private func endWorkspace(_ called: String) throws -> (WorkspaceID, [Token]) {
        if let gone = try store.workspaces.removedWorkspaces().first(where: { $0.rawValue == called }) { return (gone, []) }
        let id = try workspace(called).id
        return (id, try store.workspaces.removeWorkspace(id, at: WallClock.milliseconds) ?? [])
    }

    /// True for a valid name of a workspace, which lists, logs and terminals can show unchanged.
    package static func isFit(workspaceName name: String) -> Bool {
        (1...WireLimits.nameBytesMax).contains(name.utf8.count) && VisibleText.line(name) == name
            && name == name.trimmingCharacters(in: .whitespaces)
    }
}
