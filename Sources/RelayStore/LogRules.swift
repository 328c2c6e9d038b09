internal import RelayCore
internal import RelayProtocol

// What every implementation of the log must hold to, in one place.

extension SessionAppend {
    /// Throws where this does not continue what is stored: `storedSeq` events, by `host`; 0 and nil before the first.
    func check(storedSeq: Int64, host: HostID?) throws(StoreError) {
        guard firstSeq == storedSeq + 1 else {
            throw StoreError(.conflict, "Session \(key.session) has \(storedSeq) events; these start at \(firstSeq).")
        }
        let seq = storedSeq + Int64(events.count)
        guard state.seq == seq else {
            throw StoreError(.conflict, "Session \(key.session) has \(seq) events now; its state says \(state.seq).")
        }
        guard host == nil || host == state.summary.host.id else {
            throw StoreError(.conflict, "Session \(key.session) belongs to another host.")
        }
        guard state.summary.session == key.session, approvals.allSatisfy({ $0.session == key.session }) else {
            throw StoreError(.conflict, "Something here is of another session than \(key.session).")
        }
    }
}

extension SessionTrim {
    /// Throws where this is not about what is stored: `seq` events, by `host`; nil for both where there is no such session.
    func check(storedSeq: Int64?, host: HostID?, isRemoved: Bool) throws(StoreError) {
        guard let storedSeq else { throw StoreError(.conflict, "There is no session \(key.session) to trim.") }
        guard (0...storedSeq).contains(through) else {
            throw StoreError(.conflict, "Session \(key.session) has \(storedSeq) events; this trims \(through).")
        }
        guard let state else { return }
        guard !isRemoved else { throw StoreError(.conflict, "Session \(key.session) was removed; only an event revives it.") }
        guard state.seq == storedSeq, host == nil || host == state.summary.host.id else {
            throw StoreError(.conflict, "Session \(key.session) has another place than the state that a trim leaves.")
        }
        guard state.summary.session == key.session else {
            throw StoreError(.conflict, "Something here is of another session than \(key.session).")
        }
    }
}

extension LogBatch {
    /// Throws where the batch contradicts itself.
    func check() throws(StoreError) {
        for record in records where record.name.utf8.count > PushRecord.nameBytesMax {
            throw StoreError(
                .conflict, "The name of a \(record.kind.rawValue) is longer than \(PushRecord.nameBytesMax) bytes.")
        }
        guard !trims.isEmpty else { return }
        var keys = Set(appends.map(\.key))
        for trim in trims where !keys.insert(trim.key).inserted {
            throw StoreError(.conflict, "Session \(trim.key.session) is trimmed in the batch that adds to it, or twice.")
        }
    }
}

extension PushRecord {
    static let nameBytesMax = 256

    /// What makes a record one; in the order in which they are loaded.
    struct Key: Hashable, Comparable {
        let workspace: WorkspaceID
        let kind: Kind
        let name: String

        /// By bytes, as SQLite does.
        static func < (left: Key, right: Key) -> Bool {
            for (one, other) in [
                (left.workspace.rawValue, right.workspace.rawValue), (left.kind.rawValue, right.kind.rawValue),
            ] where one != other {
                return one < other
            }
            return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
    }

    var key: Key { Key(workspace: workspace, kind: kind, name: name) }
}

extension Approval {
    /// When it was resolved; nil for as long as something can still happen to it.
    var closedAt: Int64? { stage.isFinal ? resolvedAt ?? requestedAt : nil }
}
