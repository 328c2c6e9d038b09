import Dispatch
import Logging
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Deletes the data of removed workspaces in steps, between other commits. A relay that ends in between continues when it starts
/// again. Confined to the core's thread.
final class WorkspaceRemover {
    /// Time between two steps, as live commits come first.
    private static let interval = Duration.milliseconds(Limits.trimInterval)
    /// Interval of retries, so that a failing disk is not used too often.
    private static let retryInterval = Duration.seconds(30)

    private let store: any WorkspaceStore
    private let commits: CommitQueue
    private let loop: EventLoop
    private let logger: Logger
    private var underWay: Set<WorkspaceID> = []

    init(_ store: any WorkspaceStore, _ commits: CommitQueue, _ loop: EventLoop, _ logger: Logger) {
        self.store = store
        self.commits = commits
        self.loop = loop
        self.logger = logger
    }

    func remove(_ workspace: WorkspaceID) {
        if underWay.insert(workspace).inserted { takeStep(workspace) }
    }

    private func takeStep(_ workspace: WorkspaceID) {
        let (store, handle, bound) = (store, loop.handle, LoopBound(self, loop: loop))
        commits.after {
            let result = Result { try store.removeData(of: workspace, rowsMax: WorkspaceRules.removedRowsMax) }
            handle.execute { bound.value.stepEnded(workspace, result) }
        }
    }

    private func stepEnded(_ workspace: WorkspaceID, _ result: Result<Bool, any Error>) {
        let metadata: Logger.Metadata = ["workspace.id": "\(workspace)"]
        switch result {
        case .success(true):
            underWay.remove(workspace)
            logger.info("nothing is left of a workspace that was removed", metadata: metadata)
        case .success(false): takeStep(workspace, after: Self.interval)
        case .failure(let error):
            logger.error(
                "the data of a removed workspace cannot be deleted yet",
                metadata: metadata.merging(["error": "\(error)"]) { first, _ in first })
            takeStep(workspace, after: Self.retryInterval)
        }
    }

    private func takeStep(_ workspace: WorkspaceID, after wait: Duration) {
        _ = loop.schedule(after: wait) { [weak self] in self?.takeStep(workspace) }
    }
}
