import Logging
import WebSocketEngine

/// Listens to the commands of the relay's own machine, and listens again if the socket file was removed: a command that finds none
/// concludes that the relay will not hear of a revocation. Confined to the core's thread.
final class AdminListener {
    /// Less than a command waits.
    private static let interval = Duration.seconds(2)

    private let loop: EventLoop
    private let configuration: ListenerConfiguration
    private let handler: any ServerHandler
    private let logger: Logger
    private var listener: Listener
    private var isClosed = false
    /// Told of once, until it listens again.
    private var isFailing = false

    init(_ loop: EventLoop, _ configuration: ListenerConfiguration, _ handler: any ServerHandler, _ logger: Logger) throws {
        self.loop = loop
        self.configuration = configuration
        self.handler = handler
        self.logger = logger
        listener = try loop.listen(configuration, handler: handler)
        lookLater()
    }

    /// For good.
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
                "the socket for this machine's commands was removed, and cannot be made again yet: no command is heard",
                metadata: ["error": "\(error)"])
        }
    }
}
