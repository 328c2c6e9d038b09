import Logging
import RelayAccess
import RelayCluster
import RelayProtocol
import WebSocketEngine

/// An edge's link to an owner. Confined to the main loop's thread.
final class OwnerLink: ClientHandler {
    private let loop: EventLoop
    private let authority: String?
    private let logger: Logger
    /// Gets facts about the link and the owner's messages. Set once, before it is opened.
    var take: (EdgeMachine.Fact) -> Void = { _ in }
    private let ended: () -> Void
    /// The connection that is being opened or is open; nil: none.
    private var connection: ConnectionID?
    private var isOpen = false
    /// This turn's output to the owner, which is sent at once.
    private var gathered = RecordWriter()
    private var shares = LinkShares()
    /// True after a failure was logged, so that an unreachable owner is not logged twice a second.
    private var hasTold = false
    /// The node that it was opened to, by its operator's name.
    private var owner = ""

    /// `ended` is called once for each `dial`.
    init(_ loop: EventLoop, authority: String?, _ logger: Logger, ended: @escaping () -> Void) {
        self.loop = loop
        self.authority = authority
        self.logger = logger
        self.ended = ended
    }

    func dial(_ owner: NodeAddress) {
        precondition(connection == nil, "an edge has one link")
        self.owner = owner.name
        guard let address = RelayAddress(owner.url) else { return failed("\(owner.name) is not to be reached at \(owner.url)") }
        var configuration = ClientConfiguration(
            address, path: NodeLinkProtocol.path, token: owner.secret, certificateAuthorityFile: authority)
        configuration.subprotocol = NodeLinkProtocol.subprotocol
        configuration.limits = .ofNodeLink
        configuration.liveness = .ofNodeLink
        configuration.connectTimeout = Self.patience
        do throws(WebSocketEngineError) { connection = try loop.connect(configuration, handler: self) } catch {
            failed("\(error)")
        }
    }

    /// Time limit for opening the link; a live node answers within it.
    private static let patience = Duration.seconds(3)

    private func failed(_ sentence: String) {
        tellOnce(sentence)
        loop.handle.execute(bound { $0.ended() })
    }

    private func bound(_ body: @escaping @Sendable (OwnerLink) -> Void) -> @Sendable () -> Void {
        let bound = LoopBound(self, loop: loop)
        return { body(bound.value) }
    }

    func hangUp() {
        guard let connection else { return }
        loop.close(connection, code: CloseCode.goingAway.rawValue, reason: CloseCode.goingAway.reason)
    }

    func tell(_ message: EdgeMessage) {
        guard isOpen else { return }
        let before = gathered.count
        message.write(to: &gathered)
        shares.tell(gathered.count - before, of: message.speaker.map { UInt64($0) })
        if gathered.count >= NodeLinkLimits.gatheredBytesMax { flush() }
    }

    /// Sends the turn's output to the owner.
    func turnEnded() {
        flush()
        guard isOpen, let connection else { return }
        let changes = shares.settle(shares.told, waiting: loop.outboxBytes(of: connection))
        for number in changes.filled { take(.shareFilled(Int(number))) }
        for number in changes.drained { take(.shareDrained(Int(number))) }
    }

    private func flush() {
        guard let connection, !gathered.isEmpty else { return }
        loop.send(OutgoingMessage(binary: gathered.bytes), to: connection)
        gathered.clear()
    }

    // MARK: - ClientHandler

    func opened(_ connection: ConnectionID, subprotocol: String?) {
        isOpen = true
        hasTold = false
        // All peers of those workspaces wait for this link, so it is read before hundreds of connections that come at once.
        loop.expedite(connection)
        logger.notice(
            "carries messages to a relay that owns workspaces",
            metadata: ["connection.id": "\(connection)", "owner": "\(owner)"])
        take(.linkOpened)
    }

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        do throws(NodeLinkError) {
            guard message.kind == .binary else { throw NodeLinkError(.unknownKind, "a message of a link is binary") }
            for record in try OwnerMessage.read(message.bytes) { take(.ownerSaid(record)) }
        } catch {
            logger.error("the owner broke the protocol of links", metadata: ["error": "\(error)"])
            loop.close(connection, code: CloseCode.protocolError.rawValue, reason: error.message)
        }
    }

    func congested(_ connection: ConnectionID) { take(.linkCongested) }
    func drained(_ connection: ConnectionID) { take(.linkDrained) }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        tellOnce("\(reason)")
        self.connection = nil
        isOpen = false
        gathered = RecordWriter()
        shares = LinkShares()
        take(.linkEnded)
        ended()
    }

    private func tellOnce(_ reason: String) {
        guard !hasTold else { return }
        hasTold = true
        logger.notice("has no link to a relay that owns workspaces", metadata: ["owner": "\(owner)", "reason": "\(reason)"])
    }
}
