import RelayCore
import RelayModel
import RelayProtocol

/// Checks that the rows of a session's costs grow by exactly what its events add, in the same batch. For one workspace.
struct CostChecker {
    /// Rows by the names of their records.
    private var rows: [String: (session: SessionID, sum: CostSum)] = [:]
    private var sessions: [SessionID: CostSum] = [:]
    /// Costs of sessions that retention removed.
    private var removed: [SessionID: CostSum] = [:]

    mutating func stored(_ batch: LogBatch) -> String? {
        var added: [SessionID: CostSum] = [:]
        do throws(WireError) {
            for record in batch.records where record.kind == .cost {
                guard let bytes = record.bytes else { return "\(record.name) is removed, and there is room" }
                let value = try JSONDocument(parsing: bytes).root
                let session: SessionID = try value.identifier("session")
                var sum = CostSum()
                for entry in try value.array("entries") { sum.add(try CostSum(stored: entry)) }
                let growth = sum.growth(since: rows[record.name]?.sum ?? CostSum()) ?? CostSum()
                added[session] = (added[session] ?? CostSum()).plus(growth)
                rows[record.name] = (session, sum)
            }
        } catch { return "a row of costs cannot be read: \(error.path) \(error.message)" }
        for append in batch.appends {
            let session = append.key.session
            let now = append.state.summary.spent
            let before = sessions[session] ?? removed[session] ?? CostSum()
            sessions[session] = now
            let (expected, counted) = (now.growth(since: before) ?? CostSum(), added.removeValue(forKey: session) ?? CostSum())
            let isSame =
                expected.costMicroUSD ?? 0 == counted.costMicroUSD ?? 0 && expected.estimateMicroUSD == counted.estimateMicroUSD
                && expected.tokens == counted.tokens
            if !isSame { return "\(session) has used \(expected), and \(counted) is counted" }
        }
        for trim in batch.trims where trim.state == nil {
            removed[trim.key.session] = sessions.removeValue(forKey: trim.key.session)
        }
        return added.isEmpty ? nil : "costs of \(added.keys) are counted, and the batch has none of their events"
    }
}
