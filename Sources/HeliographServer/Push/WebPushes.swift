import Logging
import PushPlanner
import PushWeb
import RelayProtocol
import WebSocketEngine

/// Carries requests to the push services of browsers. A port, so that tests can stand in for them.
protocol WebPushSender: AnyObject, Sendable {
    /// Tells `completion` what became of the request, once, on a thread that it must not block.
    func submit(_ request: WebPushRequest, then completion: @escaping @Sendable (WebPushOutcome) -> Void)
    /// The request of this id is not to be sent any more.
    func withdraw(_ id: String)
    func origins() async -> [WebPushOriginState]
    /// Every request that has no outcome yet gets one.
    func stop()
}

extension WebPushClient: WebPushSender {}

/// Pushes to browsers: in whose name, by which key, and what carries them out. Needs no `push.json`. Lives on the loop's thread.
///
/// The key pair is made when a browser first asks for it: a relay whose browsers want no pushes has none.
final class WebPushes: PushCarrier {
    let service = PushService.web
    static let keyFileName = WebPushIdentity.fileName

    private let identity: WebPushIdentity
    private let services: WebPushServices
    private let logger: Logger
    private let makeSender: (WebPushConfiguration) throws -> any WebPushSender
    private var key: VAPIDKey?
    /// Nil: the key is a file of the identity's.
    private let shared: SharedSecrets?
    /// Nil: nothing has been sent to a browser yet.
    private(set) var sender: (any WebPushSender)?

    init(
        _ identity: WebPushIdentity, shared: SharedSecrets? = nil, services: WebPushServices, logger: Logger,
        makeSender: @escaping (WebPushConfiguration) throws -> any WebPushSender = { try WebPushClient($0) }
    ) {
        (self.identity, self.services, self.logger, self.makeSender) = (identity, services, logger, makeSender)
        self.shared = shared
        key = shared?.browsersKey
    }

    /// The key with which a browser subscribes.
    enum PublicKey {
        /// A point of P-256 in base64url.
        case there(String)
        /// Has to be created, off the loop, and then `use`d.
        case toMake(SharedSecrets)
    }

    /// Throws why nothing is pushed to browsers.
    func publicKey() throws(PushObstacleError) -> PublicKey {
        _ = try identity.contact()
        if let shared, key == nil { return .toMake(shared) }
        return .there(try openKey().publicText)
    }

    /// Hands back what a browser subscribes with.
    func use(_ key: VAPIDKey) -> String {
        if self.key == nil {
            logger.notice("browsers subscribe with a key that is in the database: it belongs into its backups")
        }
        self.key = key
        return key.publicText
    }

    /// Why nothing is pushed to browsers; nil where nothing is in the way.
    var trouble: String? {
        do throws(PushObstacleError) { _ = try identity.contact() } catch { return error.sentence }
        return nil
    }

    /// True if a browser has ever asked for our key, in this life of the relay or an earlier one.
    var isUsed: Bool { key != nil || shared == nil && identity.hasKey }

    func send(
        _ intent: PushIntent, _ codes: PushCodes, at now: Int64, then completion: @escaping @Sendable (PushOutcome) -> Void
    ) throws(PushObstacleError) {
        let sender = try openSender()
        var request = try intent.webRequest(with: codes, of: services, at: now)
        request.id = PushIntent.requestID(intent.id, in: codes.epoch)
        sender.submit(request) { completion(PushOutcome($0)) }
    }

    private func openKey() throws(PushObstacleError) -> VAPIDKey {
        if let key { return key }
        guard shared == nil else {
            throw PushObstacleError(sentence: "no browser has asked for the key yet that it subscribes with")
        }
        let isNew = !identity.hasKey
        let key = try identity.openKey()
        self.key = key
        if isNew {
            logger.notice(
                "made the key that browsers subscribe with: it belongs into backups", metadata: ["file": "\(identity.path)"])
        }
        return key
    }

    private func openSender() throws(PushObstacleError) -> any WebPushSender {
        if let sender { return sender }
        var configuration = WebPushConfiguration(key: try openKey(), contact: try identity.contact())
        configuration.services = services
        do {
            let made = try makeSender(configuration)
            sender = made
            return made
        } catch { throw PushObstacleError(sentence: "browsers cannot be pushed to: \(error)") }
    }
}
