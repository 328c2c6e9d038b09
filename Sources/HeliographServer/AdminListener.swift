import Logging
import WebSocketEngine

/// Listens for commands on the relay's own machine, and listens again if the socket file was removed: a command that finds no
/// socket assumes that the relay does not get the revocation. Confined to the core's thread.
final class AdminListener {
    /// Interval of looks at the socket: less than a command waits.
    private static let interval = Duration.seconds(2)

    private let loop: EventLoop
    private let configuration: ListenerConfiguration
    private let handler: any ServerHandler
    private let logger: Logger
    private var listener: Listener
    private var isClosed = false
    /// True after a failure was logged, until it listens again.
    private var isFailing = false

    init(_ loop: EventLoop, _ configuration: ListenerConfiguration, _ handler: any ServerHandler, _ logger: Logger) throws {
        self.loop = loop
        self.configuration = configuration
        self.handler = handler
        self.logger = logger
        listener = try loop.listen(configuration, handler: handler)
        lookLater()
    }

    /// Closes the listener for good.
    func close() {
        isClosed = true
        listener.close()
    }

    private func lookLater() {
        _ = loop.schedule(after: Self.interval) { [weak self] in self?.look() }
    }

    private func look() {
        guard !isClosed else { return }
        defer { lookLater() }
        guard !listener.isAtItsPath else { return }
        do {
            let again = try loop.listen(configuration, handler: handler)
            listener.close()
            listener = again
            isFailing = false
            logger.warning(
                "the socket for this machine's commands was removed, and is there again",
                metadata: ["path": "\(again.path ?? "")"])
        } catch {
            guard !isFailing else { return }
            isFailing = true
            logger.error(
                "the socket for this machine's commands was removed, and cannot be made again yet: commands do not reach the relay",
                metadata: ["error": "\(error)"])
        }
    }
}
