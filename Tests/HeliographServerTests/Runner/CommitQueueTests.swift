import Dispatch
import RelayCore
import RelayModel
import RelayNode
import RelayProtocol
import Synchronization
import Testing

@testable import HeliographServer

/// A relay's handling of its store's results for a batch.
struct CommitQueueTests {
    /// Throws one error a commit, and takes the batch once there are none left.
    private final class FailingLog: SessionLog, Sendable {
        let epoch = Epoch("e1")!
        private let errors: Mutex<[LogError.Code]>

        init(_ errors: [LogError.Code]) { self.errors = Mutex(errors) }

        func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
            let next = errors.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let next { throw LogError(next, "no") }
            return []
        }

        func load(resolvedSince: Int64) throws(LogError) -> LogState { throw LogError(.full, "unused") }
        func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage {
            LogPage(first: 0, events: [])
        }
        func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage {
            LogPage(first: 0, events: [])
        }
        func places(of sessions: [SessionKey]) throws(LogError) -> [SessionKey: RemovedSession] { [:] }
        func approval(_ id: ApprovalID, of session: SessionKey) throws(LogError) -> Approval? { nil }
        func approvals(
            of host: HostID, in workspace: WorkspaceID, before: Int64, limit: Int, bytesMax: Int
        ) throws(LogError) -> ApprovalPage { ApprovalPage(limit: limit, bytesMax: bytesMax) }
    }

    private func outcome(of errors: [LogError.Code]) -> String {
        let queue = CommitQueue(FailingLog(errors))
        let found = Mutex("")
        queue.commit(LogBatch()) { outcome in
            found.withLock {
                $0 =
                    switch outcome {
                    case .committed: "committed"
                    case .refused: "refused"
                    case .unknown: "unknown"
                    }
            }
        }
        queue.finish()
        return found.withLock { $0 }
    }

    @Test func `nothing of a batch that was refused is tried again`() {
        #expect(outcome(of: [.full]) == "refused")
    }

    @Test func `a doubt that the store settles is over`() {
        #expect(outcome(of: [.inDoubt, .unreachable(isPassing: true)]) == "committed")
    }
}
