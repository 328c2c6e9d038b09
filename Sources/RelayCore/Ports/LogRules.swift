package import RelayModel
package import RelayProtocol

// Rules that every implementation of the log must follow, in one place.

extension SessionAppend {
    /// Throws if this append does not continue the stored session, which has `storedSeq` events and belongs to `host`; 0 and nil
    /// before the first event.
    package func check(storedSeq: Int64, host: HostID?) throws(LogError) {
        guard firstSeq == storedSeq + 1 else {
            throw LogError(.conflict, "Session \(key.session) has \(storedSeq) events; these start at \(firstSeq).")
        }
        let seq = storedSeq + Int64(events.count)
        guard state.seq == seq else {
            throw LogError(.conflict, "Session \(key.session) has \(seq) events now; its state says \(state.seq).")
        }
        guard host == nil || host == state.summary.host.id else {
            throw LogError(.conflict, "Session \(key.session) belongs to another host.")
        }
        guard state.summary.session == key.session, approvals.allSatisfy({ $0.session == key.session }) else {
            throw LogError(.conflict, "Something here is of another session than \(key.session).")
        }
    }
}

extension SessionTrim {
    /// Throws if this trim does not match the stored session, which has `storedSeq` events and belongs to `host`; nil for both if
    /// there is no such session.
    package func check(storedSeq: Int64?, host: HostID?, isRemoved: Bool) throws(LogError) {
        guard let storedSeq else { throw LogError(.conflict, "There is no session \(key.session) to trim.") }
        guard (0...storedSeq).contains(through) else {
            throw LogError(.conflict, "Session \(key.session) has \(storedSeq) events; this trims \(through).")
        }
        guard let state else { return }
        guard !isRemoved else { throw LogError(.conflict, "Session \(key.session) was removed; only an event revives it.") }
        guard state.seq == storedSeq, host == nil || host == state.summary.host.id else {
            throw LogError(.conflict, "Session \(key.session) has another place than the state that a trim leaves.")
        }
        guard state.summary.session == key.session else {
            throw LogError(.conflict, "Something here is of another session than \(key.session).")
        }
    }
}

extension LogBatch {
    /// Throws if the batch contradicts itself.
    package func check() throws(LogError) {
        for record in records where record.name.utf8.count > PushRecord.nameBytesMax {
            throw LogError(
                .conflict, "The name of a \(record.kind.rawValue) is longer than \(PushRecord.nameBytesMax) bytes.")
        }
        guard !trims.isEmpty else { return }
        var keys = Set(appends.map(\.key))
        for trim in trims where !keys.insert(trim.key).inserted {
            throw LogError(.conflict, "Session \(trim.key.session) is trimmed in the batch that adds to it, or twice.")
        }
    }
}

extension LogBatch {
    /// Throws if any part of the batch contradicts what is stored or an earlier part: for a log without transactions, so that the
    /// commit cannot fail half-way.
    package func check(
        in workspaces: [WorkspaceID], stored: (SessionKey) -> (place: RemovedSession, isRemoved: Bool)?
    ) throws(LogError) {
        try check()
        for workspace in appends.map(\.key.workspace) + commands.map(\.workspace)
            + records.filter({ $0.bytes != nil }).map(\.workspace)
        where !workspaces.contains(workspace) {
            throw LogError(.conflict, "There is no workspace \(workspace).")
        }
        var ahead: [SessionKey: SessionState] = [:]
        for append in appends {
            let (place, state) = (stored(append.key)?.place, ahead[append.key])
            try append.check(storedSeq: state?.seq ?? place?.seq ?? 0, host: state?.summary.host.id ?? place?.host)
            ahead[append.key] = append.state
        }
        for trim in trims {
            let known = stored(trim.key)
            try trim.check(storedSeq: known?.place.seq, host: known?.place.host, isRemoved: known?.isRemoved ?? false)
        }
    }
}

extension PushRecord {
    package static let nameBytesMax = 256

    /// A record's identity. Its order is that in which records are loaded.
    package struct Key: Hashable, Comparable, Sendable {
        package let workspace: WorkspaceID
        package let kind: Kind
        package let name: String

        /// Compares bytes, as SQLite does.
        package static func < (left: Key, right: Key) -> Bool {
            for (one, other) in [
                (left.workspace.rawValue, right.workspace.rawValue), (left.kind.rawValue, right.kind.rawValue),
            ] where one != other {
                return one < other
            }
            return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
    }

    package var key: Key { Key(workspace: workspace, kind: kind, name: name) }
}
