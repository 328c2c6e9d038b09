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
    /// Memory of the offers of steering that were read, for each host.
    private var offers: [WorkspaceID: [HostID: Int]] = [:]
    /// Memory of the resolved approvals in `state`, for each workspace.
    private var resolved: [WorkspaceID: Int] = [:]

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
            var session = try SessionState(stored: stored.state)
            if let offer = session.summary.steering, !hasRoom(for: offer, of: key, session) { session.offer(nil) }
            state.sessions.append((key, session))
            loaded.insert(key)
        } catch {
            remove(key, stored, because: "the session's state does not decode: \(error)")
        }
    }

    /// An earlier version bounded neither offers nor resolved approvals: a relay starts with what it has memory for.
    private mutating func hasRoom(for offer: SteeringOffer, of key: SessionKey, _ session: SessionState) -> Bool {
        let host = session.summary.host.id
        let bytes = offers[key.workspace, default: [:]][host, default: 0] + offer.memoryBytes
        guard bytes <= SessionLimits.offerBytesPerHostMaxAtStart else { return false }
        offers[key.workspace, default: [:]][host] = bytes
        return true
    }

    /// Keeps those that were stored last: the core keeps no more either.
    private mutating func boundResolved(of workspace: WorkspaceID) {
        var rest = SessionLimits.resolvedApprovalBytesPerWorkspaceMax
        var kept: [(workspace: WorkspaceID, approval: Approval)] = []
        for entry in state.approvals.reversed() {
            if entry.workspace == workspace, entry.approval.stage.isFinal {
                guard rest > 0 else { continue }
                rest -= entry.approval.requestBytes.count
            }
            kept.append(entry)
        }
        state.approvals = kept.reversed()
        resolved[workspace] = SessionLimits.resolvedApprovalBytesPerWorkspaceMax - rest
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
            let approval = try Approval(stored: stored.record)
            state.approvals.append((workspaceID, approval))
            guard approval.stage.isFinal else { return }
            resolved[workspaceID, default: 0] += approval.requestBytes.count
            // Now and then, as all are looked at.
            if resolved[workspaceID, default: 0] > 2 * SessionLimits.resolvedApprovalBytesPerWorkspaceMax {
                boundResolved(of: workspaceID)
            }
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
