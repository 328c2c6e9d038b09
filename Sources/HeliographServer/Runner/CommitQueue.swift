import Dispatch
import Glibc
import RelayCore
import RelayModel
import RelayNode

/// Commits batches in order, off the loop: an fsync must not delay peers that only receive. Other writes to the log also use this
/// queue.
struct CommitQueue: Sendable {
    private let log: any SessionLog & Sendable
    private let queue = DispatchQueue(label: "heliograph.commits")

    init(_ log: any SessionLog & Sendable) { self.log = log }

    /// `then` is called on the queue's thread.
    func commit(_ batch: LogBatch, then: @escaping @Sendable (CommitTries.Outcome) -> Void) {
        queue.async { [log] in Self.commit(batch, to: log, then) }
    }

    func after(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Waits until every ordered batch is on disk.
    func finish() { queue.sync {} }

    private static func commit(_ batch: LogBatch, to log: any SessionLog, _ then: (CommitTries.Outcome) -> Void) {
        var tries = CommitTries(at: Instant.now.uptime)
        while true {
            do throws(LogError) {
                return try log.commit(batch) { then(.committed($0)) }
            } catch {
                switch tries.failed(error, at: Instant.now.uptime) {
                case .again(let milliseconds): usleep(UInt32(milliseconds) * 1_000)
                case .ended(let outcome): return then(outcome)
                }
            }
        }
    }
}
