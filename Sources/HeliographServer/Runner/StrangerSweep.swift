import Logging
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Deletes unused registered workspaces, also after registration was closed. Confined to the core's thread.
final class StrangerSweep {
    private static let interval = Duration.seconds(3_600)
    /// Time from the start to the first sweep: twice as long as peers may take to reconnect.
    private static let firstWait = Duration.seconds(60)

    private let rules: RegistrationRules
    private let access: Access
    private let overseer: Overseer
    private let loop: EventLoop
    private let logger: Logger

    init(_ rules: RegistrationRules, _ access: Access, _ overseer: Overseer, _ loop: EventLoop, _ logger: Logger) {
        self.rules = rules
        self.access = access
        self.overseer = overseer
        self.loop = loop
        self.logger = logger
    }

    func start() { wait(Self.firstWait) }

    private func wait(_ duration: Duration) { _ = loop.schedule(after: duration) { [weak self] in self?.sweep() } }

    private func sweep() {
        guard access.registered > 0 else { return wait(Self.interval) }
        // By this record the owner of a workspace learns of peers connected to other nodes, at most an hour late.
        access.noteConnected()
        // A clock that is a year ahead would find every workspace unused.
        guard overseer.clockDoubt == nil else { return wait(Self.interval) }
        access.removeIdle(by: rules, where: overseer.owns) { [self] result in
            switch result {
            case .success(let removed):
                for workspace in removed {
                    logger.notice("deleted a registered workspace that nobody used", metadata: ["workspace.id": "\(workspace)"])
                }
            case .failure(let error):
                logger.error("unused workspaces could not be deleted", metadata: ["error": "\(error)"])
            }
            wait(Self.interval)
        }
    }
}
