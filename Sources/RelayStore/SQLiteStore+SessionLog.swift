internal import Foundation
internal import GRDB
package import RelayCore
package import RelayProtocol
internal import Synchronization

extension SQLiteStore: SessionLog {
    /// A session whose state does not decode must not keep the relay from all the others: it is handed back as removed, with the
    /// place that its columns name, and `damagedRecords` names it. Its row stays untouched; an event that revives it puts the
    /// state aside first.
    ///
    /// After an error of the disk it reads what is there, and throws as long as the disk takes nothing: a relay that began with
    /// what it reads could keep none of what comes.
    package func load(resolvedSince: Int64, commandsSince: Int64) throws(StoreError) -> LogState {
        if isInDoubt.load(ordering: .relaxed) {
            try reopen()
            isInDoubt.store(false, ordering: .relaxed)
        }
        let (state, damaged) = try read { db in
            let loader = try Loader(resolvedSince: resolvedSince, commandsSince: commandsSince, from: db)
            return (loader.state, loader.damaged)
        }
        damage.withLock { $0.records = damaged + $0.records.filter { $0.event != nil } }
        return state
    }

    package func places(of sessions: [SessionKey]) throws(StoreError) -> [SessionKey: RemovedSession] {
        try read { db in
            let query = try db.cachedStatement(
                sql: "SELECT \(StoredPlace.columns) FROM sessions WHERE workspace = ? AND session = ?")
            return try sessions.reduce(into: [:]) { places, key in
                let row = try Row.fetchOne(query, arguments: [key.workspace.rawValue, key.session.rawValue])
                places[key] = row.flatMap { StoredPlace($0, of: key, from: 0)?.place }
            }
        }
    }

    package func approval(_ id: ApprovalID, of session: SessionKey) throws(StoreError) -> Approval? {
        try read { db in
            let query = try db.cachedStatement(
                sql: """
                    SELECT \(Self.approvalColumns) FROM approvals JOIN sessions ON sessions.number = approvals.session
                    WHERE workspace = ? AND sessions.session = ? AND approval = ?
                    """)
            let row = try Row.fetchOne(
                query, arguments: [session.workspace.rawValue, session.session.rawValue, id.rawValue])
            guard let stored = row.map({ StoredApproval($0, from: 0) }) else { return nil }
            guard stored.isIntact else {
                throw StoreError(.damaged, "Approval \(id) of session \(session.session) \(DamagedRecord.changed).")
            }
            return try self.decode { () throws(WireError) in try Approval(stored: stored.record) }
        }
    }

    package func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) throws(StoreError) -> LogPage {
        let after = min(max(after, 0), EventKey.seqMax)
        return try page(
            of: session, from: after, to: EventKey.seqMax + 1, order: "ASC", PageBuilder(limit: limit, bytesMax: bytesMax))
    }

    package func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) throws(StoreError) -> LogPage {
        let before = min(max(before, 0), EventKey.seqMax + 1)
        var page = try page(
            of: session, from: 0, to: before, order: "DESC", PageBuilder(limit: limit, bytesMax: bytesMax))
        page.first -= Int64(max(page.events.count - 1, 0))
        page.events.reverse()
        return page
    }

    /// Events between two numbers, neither included; `first` is the number of the first that was read.
    ///
    /// A page ends before an event that is not as it was written, or is missing. Throws `damaged` where there would be none on it.
    private func page(
        of key: SessionKey, from: Int64, to: Int64, order: StaticString, _ builder: PageBuilder
    ) throws(StoreError) -> LogPage {
        try read { db in
            var page = LogPage(first: 0, events: [])
            var builder = builder
            guard let session = try StoredSession(key, in: db)?.number else { return page }
            let query = try db.cachedStatement(
                sql: """
                    SELECT id, kind, at, bytes, checksum FROM events WHERE id > ? AND id < ? ORDER BY id \(order) LIMIT ?
                    """)
            var last: Int64?
            var damaged: Int64?
            try unsafe query.forEachEvent([
                EventKey.id(session: session, seq: from), EventKey.id(session: session, seq: to), max(0, builder.limit),
            ]) { id, isIntact, bytes in
                let seq = EventKey.seq(id: id)
                guard isIntact else {
                    damaged = seq
                    return false
                }
                guard last.map({ abs(seq - $0) == 1 }) ?? true, unsafe builder.take([UInt8](bytes)) else { return false }
                if page.first == 0 { page.first = seq }
                last = seq
                return true
            }
            page.events = builder.events
            if let damaged, page.events.isEmpty {
                throw StoreError(.damaged, "Event \(damaged) of session \(key.session) \(DamagedRecord.changed).")
            }
            return page
        }
    }
}
