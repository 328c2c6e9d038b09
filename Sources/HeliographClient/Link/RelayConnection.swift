internal import DeviceConsent
internal import HeliographLink
internal import RelayAccess
internal import RelayProtocol
internal import WebSocketEngine

/// Carries out the orders of a `RelayLink` on one event loop.
final class RelayConnection: ClientHandler {
    /// Longest message: a snapshot of many sessions, or of 200 events with a large diff each, is longer than what a relay accepts.
    private static let messageBytesMax = 64 << 20

    private let loop: EventLoop
    private let credentials: Credentials
    private let heard: (RelayLink.News) -> Void
    private(set) var link: RelayLink
    var opener: ContentOpener
    private var connection: ConnectionID?

    init(
        loop: EventLoop, credentials: Credentials, software: String, opener: ContentOpener,
        heard: @escaping (RelayLink.News) -> Void
    ) {
        self.loop = loop
        self.credentials = credentials
        self.opener = opener
        self.heard = heard
        let random = String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
        link = RelayLink(software: software, idPrefix: "c" + random)
    }

    var view: ClientView { link.view }

    func start() { carryOut(link.started()) }

    func followAll() { link.followsAll = true }

    func follow(_ session: SessionID, after position: Position? = nil) {
        opener.follows(session)
        carryOut(link.follow(session, after: position))
    }

    func submit<Fault: Error>(_ make: (CommandID) throws(Fault) -> ClientCommand) throws(Fault) -> CommandID {
        let (id, orders) = try link.submit { id throws(Fault) in
            let command = try make(id)
            opener.sent(command, as: id)
            return command
        }
        carryOut(orders)
        return id
    }

    // MARK: - ClientHandler

    func opened(_ connection: ConnectionID, subprotocol: String?) { carryOut(link.opened()) }

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        guard connection == self.connection else { return }
        let now = MonotonicTime.now.nanoseconds / 1_000_000
        carryOut(link.received(message.bytes) { opener.open($0, at: now) })
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        guard connection == self.connection else { return }
        self.connection = nil
        carryOut(link.closed(LinkEnd(reason), jitter: .random(in: 0..<1)))
    }

    // MARK: - Orders

    /// Carries out orders after the link has changed. An order may make the command subscribe to more, which changes the link
    /// again.
    private func carryOut(_ orders: [RelayLink.Order]) {
        for order in orders {
            switch order {
            case .connect: connect()
            case .send(let bytes): if let connection { loop.send(OutgoingMessage(text: bytes), to: connection) }
            case .retry(let wait): loop.schedule(after: wait) { [weak self] in self?.retry() }
            case .tell(let news): heard(news)
            }
        }
    }

    private func retry() { carryOut(link.retryDue()) }

    private func connect() {
        do { connection = try loop.connect(configuration, handler: self) } catch {
            heard(.over(LinkError(.failed, "cannot connect to \(credentials.relay): \(error.message)")))
        }
    }

    private var configuration: ClientConfiguration {
        var configuration = ClientConfiguration(
            credentials.relay, path: ProtocolVersion.clientPath, token: credentials.token,
            certificateAuthorityFile: credentials.certificateAuthorityFile)
        configuration.limits.messageBytesMax = Self.messageBytesMax
        if let heartbeat = link.heartbeat { configuration.follow(heartbeat) }
        return configuration
    }
}
