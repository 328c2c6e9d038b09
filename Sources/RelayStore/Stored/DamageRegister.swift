package import RelayCore
package import RelayModel
internal import Synchronization

/// Rows found damaged since the store was opened, until they are replaced. Safe on any thread.
package final class DamageRegister: Sendable {
    private let rows = Mutex<[DamagedRow]>([])

    package init() {}

    package var records: [DamagedRecord] { rows.withLock { $0.map(\.record) } }

    package func hasState(of session: SessionKey) -> Bool { rows.withLock { $0.contains { $0.isState(of: session) } } }

    /// Replaces the findings of the previous load, except for events, which a load does not read.
    package func loaded(_ damaged: [DamagedRow]) { rows.withLock { $0 = damaged + $0.filter(\.isEvent) } }

    /// Replaces the findings about events, after a check of all of them.
    package func checked(_ damaged: [DamagedRow]) { rows.withLock { $0 = $0.filter { !$0.isEvent } + damaged } }

    package func forget(mendedBy batch: LogBatch) {
        rows.withLock { rows in
            if !rows.isEmpty { rows.removeAll { $0.isMended(by: batch) } }
        }
    }
}
