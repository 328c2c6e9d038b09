package import RelayCore
package import RelayModel
package import RelayProtocol

/// Builds the core's initial state from stored rows, without the rows that are damaged or do not decode.
///
/// Sessions are added before their approvals, everything in the order in which it was stored.
package struct LogStateBuilder {
    package var state = LogState()
    package private(set) var damaged: [DamagedRow] = []
    /// Sessions in `state`, to which approvals can be added.
    private var loaded: Set<SessionKey> = []
    /// Memory of the loaded steering offers, by host.
    private var offers: [WorkspaceID: [HostID: Int]] = [:]
    /// Memory of the resolved approvals in `state`, by workspace.
    private var resolved: [WorkspaceID: Int] = [:]

    /// Removed workspaces, whose remaining data is being deleted.
    private let leftOut: Set<String>

    package init(without removed: Set<String>) { leftOut = removed }

    /// `read` returns nil if the host's name is invalid.
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

    /// True if the offer fits in memory. An earlier version limited neither offers nor resolved approvals, so a relay loads only as
    /// many as fit.
    private mutating func hasRoom(for offer: SteeringOffer, of key: SessionKey, _ session: SessionState) -> Bool {
        let host = session.summary.host.id
        let bytes = offers[key.workspace, default: [:]][host, default: 0] + offer.memoryBytes
        guard bytes <= SessionLimits.offerBytesPerHostMaxAtStart else { return false }
        offers[key.workspace, default: [:]][host] = bytes
        return true
    }

    /// Drops resolved approvals beyond the limit and keeps those stored last, as the core does.
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

    /// Treats a damaged session as a removed one.
    private mutating func remove(_ key: SessionKey, _ stored: StoredPlace, because what: String) {
        state.addRemoved(key, stored.place)
        damage(key.workspace.rawValue, key.session.rawValue, what, .state)
    }

    /// `read` is called if the session was loaded.
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
            // Only now and then, as it looks at all of them.
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

    /// Adds a record. A channel exists until its push service has deleted it, even if its workspace was removed.
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
