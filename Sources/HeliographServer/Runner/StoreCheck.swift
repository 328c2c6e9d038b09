import Dispatch
import Logging
import RelayCore

/// Checks stored data in the background, one store after the other: a relay in service does the checks that take long; see decision
/// record 0007.
struct StoreCheck: Sendable {
    /// Interval after which a check is repeated that failed for another reason than damage, such as an unreachable database.
    private static let retryInterval = DispatchTimeInterval.seconds(600)

    private let queue = DispatchQueue(label: "heliograph.checks", qos: .utility)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// Starts a check; reports the damage found by the load at once.
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
                logger.error("the store could not be checked; the check is repeated later", metadata: ["error": "\(error)"])
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
