import Dispatch
import Logging
import RelayCore

/// Checks in the background what is stored, one store after the other: what takes long is checked by a relay that serves; see decision
/// record 0007.
struct StoreCheck: Sendable {
    /// A check that fails for another reason than what it finds, such as a database that is away for a moment, says nothing of the data.
    private static let retryInterval = DispatchTimeInterval.seconds(600)

    private let queue = DispatchQueue(label: "heliograph.checks", qos: .utility)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// Reports the findings of a load at once.
    func begin(_ upkeep: any StoreUpkeep & Sendable) {
        name(upkeep.damagedRecords)
        queue.async { check(upkeep) }
    }

    private func check(_ upkeep: any StoreUpkeep & Sendable) {
        do throws(LogError) {
            guard let damaged = try upkeep.checkEverything() else { return }
            if damaged.isEmpty { logger.info("the whole data file is in order") }
            name(damaged)
        } catch {
            guard case .damaged = error.code else {
                logger.error("what is stored could not be checked; it is tried again later", metadata: ["error": "\(error)"])
                return queue.asyncAfter(deadline: .now() + Self.retryInterval) { check(upkeep) }
            }
            logger.critical("the data file is damaged: nothing more is written", metadata: ["error": "\(error)"])
        }
    }

    private func name(_ records: [DamagedRecord]) {
        for record in records {
            logger.error(
                "a stored record is damaged; the relay goes on without it",
                metadata: [
                    "workspace.id": "\(record.workspace)", "session.id": "\(record.session)", "reason": "\(record.what)",
                ])
        }
    }
}
