import Dispatch
import Glibc
import RelayCore
import RelayModel

/// Commits batches in order, off the loop: an fsync must not hold up those who only listen. What else writes to the store goes through here, too.
struct CommitQueue: Sendable {
    enum Outcome: Sendable {
        /// Approvals of these names the log has had.
        case committed([ApprovalName])
        /// Nothing of the batch is on disk.
        case refused(String)
        /// The outcome is unknown.
        case unknown(String)
    }

    /// A disk that is back by then had a hiccup. A locked store has made the commit wait already, and nothing of the batch is on disk.
    private static let patience = Duration.seconds(2)
    private static let retryMicroseconds: UInt32 = 250_000

    private let log: any SessionLog & Sendable
    private let queue = DispatchQueue(label: "heliograph.commits")

    init(_ log: any SessionLog & Sendable) { self.log = log }

    /// `then` is called on the queue's thread.
    func commit(_ batch: LogBatch, then: @escaping @Sendable (Outcome) -> Void) {
        queue.async { [log] in Self.commit(batch, to: log, then) }
    }

    func after(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Waits until everything that was ordered is on disk.
    func finish() { queue.sync {} }

    /// An error of the disk says nothing about what it took. The same batch is tried again, which takes effect once.
    private static func commit(_ batch: LogBatch, to log: any SessionLog, _ then: (Outcome) -> Void) {
        let deadline = ContinuousClock.now + patience
        var isInDoubt = false
        while true {
            do throws(LogError) {
                return try log.commit(batch) { then(.committed($0)) }
            } catch {
                switch error.code {
                case .inDoubt: break
                case .unreachable(isPassing: true) where isInDoubt: break
                case .conflict, .fenced: return then(.unknown("\(error)"))
                // That nothing was written now says nothing of the time before.
                case .full, .damaged, .unfit, .unreachable:
                    return then(isInDoubt ? .unknown("\(error)") : .refused("\(error)"))
                }
                guard ContinuousClock.now < deadline else { return then(.unknown("\(error)")) }
                isInDoubt = true
                usleep(retryMicroseconds)
            }
        }
    }
}
