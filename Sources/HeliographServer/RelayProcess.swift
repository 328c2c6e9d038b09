import Foundation
import HeliographCrypto
import HeliographPlatform
import Logging
import RelayCore
import WebSocketEngine

/// Parts of every relay process: signals, the service manager, its registration as a node. Confined to the thread that starts it,
/// except for `signals`.
final class RelayProcess {
    /// The settings. Once the relay listens, the port is the actual one.
    private(set) var configuration: ServerConfiguration
    let logger: Logger
    let signals = SignalSwitch()
    /// Nil if it takes no links.
    let links: LinkAcceptor.Shared?
    /// The bearer token for links.
    let linkSecret: String?
    private let service = ServiceManager(environment: ProcessInfo.processInfo.environment)
    private var started: ((RelayAddresses) -> Void)?

    init(_ configuration: ServerConfiguration, _ logger: Logger, started: @escaping (RelayAddresses) -> Void) {
        self.configuration = configuration
        self.logger = logger
        self.started = started
        linkSecret = configuration.advertise.map { _ in Secret.token(prefix: "hgl_") }
        links = linkSecret.map { LinkAcceptor.Shared(secret: $0) }
    }

    /// Called once the relay accepts connections: it handles signals from then on, and the first call notifies the program that
    /// started it.
    func serves(
        on loops: EventLoopGroup, port: UInt16, _ folder: String, _ credentials: Credentials,
        carryOut: @escaping (SignalWatch.Order) -> Void
    ) {
        configuration.port = port
        let (bound, handle, service) = (LoopBound(carryOut, loop: loops.main), loops.main.handle, service)
        signals.arm { order in
            handle.execute {
                if order == .stop { service?.tell(.stopping) }
                bound.value(order)
            }
        }
        let addresses = RelayAddresses(port: port, credentials: credentials, configuration: configuration)
        do { try AddressFile.write(addresses, in: folder) } catch {
            logger.error(
                "the file that tells this machine's commands where the relay listens cannot be written",
                metadata: ["error": "\(error)"])
        }
        started?(addresses)
        started = nil
        service.map { loops.main.report(to: $0) }
    }
}
