import Logging
import PushPlanner
import PushWeb
import RelayProtocol
import WebSocketEngine

/// Sends requests to browsers' push services. A port, so that tests can replace them.
protocol WebPushSender: AnyObject, Sendable {
    /// Sends a request. `completion` is called once with the outcome, on a thread that it must not block.
    func submit(_ request: WebPushRequest, then completion: @escaping @Sendable (WebPushOutcome) -> Void)
    /// Withdraws the request with this id, which should no longer be sent.
    func withdraw(_ id: String)
    func origins() async -> [WebPushOriginState]
    /// Ends every request without an outcome with one.
    func stop()
}

extension WebPushClient: WebPushSender {}

/// Pushes to browsers: the relay's identity, its key, and the client. Needs no `push.json`. Confined to the loop's thread.
///
/// The key pair is made when a browser first asks for it: a relay whose browsers want no pushes has none.
final class WebPushes: PushCarrier {
    let service = PushService.web

    private let identity: WebPushIdentity
    private let services: WebPushServices
    private let logger: Logger
    private let makeSender: (WebPushConfiguration) throws -> any WebPushSender
    private var key: VAPIDKey?
    /// Nil: the key is in the identity's file.
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
        /// Has to be created off the loop, and then passed to `use`.
        case toMake(SharedSecrets)
    }

    /// The key with which a browser subscribes. Throws the reason why this relay sends no pushes to browsers.
    func publicKey() throws(PushObstacleError) -> PublicKey {
        _ = try identity.contact()
        if let shared, key == nil { return .toMake(shared) }
        return .there(try openKey().publicText)
    }

    /// Sets the key. Returns the public key with which a browser subscribes.
    func use(_ key: VAPIDKey) -> String {
        if self.key == nil {
            logger.notice("browsers subscribe with a key that is in the database: it belongs into its backups")
        }
        self.key = key
        return key.publicText
    }

    /// Reason why this relay sends no pushes to browsers; nil if there is none.
    var trouble: String? {
        do throws(PushObstacleError) { _ = try identity.contact() } catch { return error.sentence }
        return nil
    }

    /// True if a browser has ever asked for our key, in this run of the relay or an earlier one.
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
