package import RelayCore
package import RelayModel
package import RelayProtocol

/// Builds what the core starts from out of what is stored, around what is not as it was written or does not decode.
///
/// Sessions come before their approvals, everything in the order in which it was stored.
package struct LogStateBuilder {
    package var state = LogState()
    package private(set) var damaged: [DamagedRow] = []
    /// Sessions that exist, so that their approvals have a place.
    private var loaded: Set<SessionKey> = []

    /// Workspaces that were removed: what is left of them is on its way out.
    private let leftOut: Set<String>

    package init(without removed: Set<String>) { leftOut = removed }

    /// `read` is nil where the host's name is misspelled.
    package mutating func addSession(
        workspace: String, session: String, read: (SessionKey) -> StoredPlace?
    ) {
        if isLeftOut(workspace) { return }
        guard let workspaceID = WorkspaceID(workspace), let sessionID = SessionID(session),
            case let key = SessionKey(workspace: workspaceID, session: sessionID), let stored = read(key)
        else { return damage(workspace, session, "the session's names are misspelled") }
        guard stored.isIntact else { return remove(key, stored, because: "the session's row \(DamagedRecord.changed)") }
        guard !stored.isRemoved else { return state.addRemoved(key, stored.place) }
        do {
            state.sessions.append((key, try SessionState(stored: stored.state)))
            loaded.insert(key)
        } catch {
            remove(key, stored, because: "the session's state does not decode: \(error)")
        }
    }

    /// A session that is damaged is taken for a removed one.
    private mutating func remove(_ key: SessionKey, _ stored: StoredPlace, because what: String) {
        state.addRemoved(key, stored.place)
        damage(key.workspace.rawValue, key.session.rawValue, what, .state)
    }

    /// `read` is called where the session was loaded.
    package mutating func addApproval(workspace: String, session: String, read: () -> StoredApproval) {
        guard let workspaceID = WorkspaceID(workspace), let sessionID = SessionID(session),
            loaded.contains(SessionKey(workspace: workspaceID, session: sessionID))
        else { return }
        let stored = read()
        guard stored.isIntact else { return damage(workspace, session, "approval \(stored.name) \(DamagedRecord.changed)") }
        do {
            state.approvals.append((workspaceID, try Approval(stored: stored.record)))
        } catch {
            damage(workspace, session, "approval \(stored.name) does not decode: \(error)")
        }
    }

    package mutating func addCommand(workspace: String, client: String, command: String, at: Int64) {
        if isLeftOut(workspace) { return }
        guard let workspaceID = WorkspaceID(workspace), let clientID = ClientID(client), let commandID = CommandID(command)
        else { return damage(workspace, "", "a command's names are misspelled") }
        state.commands.append(CommandRecord(workspace: workspaceID, client: clientID, command: commandID, at: at))
    }

    /// A channel is there until its service has deleted it, whatever became of its workspace.
    package mutating func addRecord(workspace: String, kind: String, name: String, bytes: [UInt8], checksum: Int64?) {
        if isLeftOut(workspace), kind != PushRecord.Kind.channel.rawValue { return }
        guard
            let stored = StoredRecord(workspace: workspace, kind: kind, name: name, bytes: bytes, checksum: checksum)
        else { return damage(workspace, "", "the names of \(kind) \(name) are misspelled") }
        let subject = DamagedRow.Subject.record(stored.record.key)
        guard stored.isIntact else { return damage(workspace, "", "\(kind) \(name) \(DamagedRecord.changed)", subject) }
        do {
            _ = try JSONDocument(parsing: bytes).root.object()
            state.records.append(stored.record)
        } catch {
            damage(workspace, "", "\(kind) \(name) does not decode: \(error)", subject)
        }
    }

    private func isLeftOut(_ workspace: String) -> Bool { !leftOut.isEmpty && leftOut.contains(workspace) }

    private mutating func damage(
        _ workspace: String, _ session: String, _ what: String, _ subject: DamagedRow.Subject = .other
    ) {
        damaged.append(DamagedRow(DamagedRecord(workspace: workspace, session: session, what: what), subject))
    }
}

extension Approval {
    package init(stored bytes: [UInt8]) throws(WireError) { try self.init(from: JSONDocument(parsing: bytes).root) }
}
