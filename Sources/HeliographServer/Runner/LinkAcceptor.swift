import HeliographCrypto
import Logging
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import Synchronization
import WebSocketEngine

/// Links of edges to this node, for the workspaces that it owns, on one loop: their messages become arrivals, like those of
/// sockets. Confined to that loop's thread.
final class LinkAcceptor {
    /// State that all loops of an owner share.
    final class Shared: Sendable {
        /// SHA-256 of the bearer token that other nodes read in the database.
        fileprivate let secretDigest: [UInt8]
        private let lastLink = Atomic(0)

        init(secret: String) { secretDigest = Secret.digest(ofToken: secret) }

        fileprivate func nextLink() -> Int {
            lastLink.add(1, ordering: .relaxed).newValue % (RemotePeer.linksMax - 1) + 1
        }
    }

    /// A class, so that it is looked up once and changed in place.
    private final class OpenLink {
        let number: Int
        var peers: EdgePeers
        /// Role of each peer, by the edge's numbers. Nil: it was refused, or is closed, and the core does not know it.
        private var roles: [PairingRole?] = []

        init(_ number: Int) {
            self.number = number
            peers = EdgePeers(link: number)
        }

        func role(of number: Int) -> PairingRole? { roles.indices.contains(number) ? roles[number] : nil }

        func set(_ role: PairingRole?, of number: Int) {
            while roles.count <= number { roles.append(nil) }
            roles[number] = role
        }
    }

    private let shared: Shared
    private let loop: EventLoop
    private let admission: AdmissionControl
    private let logger: Logger
    private let deliver: (Arrival, _ bytes: Int) -> Void
    private var links: [ConnectionID: OpenLink] = [:]
    private var strangers = StrangerLog()

    /// Time after which the peer should try again, in milliseconds: a token that an edge already knows is read here by then.
    private static let unknownTokenWait: Int64 = 500

    init(
        _ shared: Shared, _ loop: EventLoop, _ admission: AdmissionControl, _ logger: Logger,
        deliver: @escaping (Arrival, _ bytes: Int) -> Void
    ) {
        self.shared = shared
        self.loop = loop
        self.admission = admission
        self.logger = logger
        self.deliver = deliver
    }

    func upgradeRequested(_ request: HTTPRequest) -> UpgradeDecision {
        guard let secret = Authenticator.bearer(in: request),
            Crypto.equal(Secret.digest(ofToken: secret), shared.secretDigest)
        else {
            strangers.notice("refused a link", ["peer": "\(request.peer)"], logger)
            return .refuse(status: 401, body: "links are for the nodes of this relay\n")
        }
        guard request.offeredSubprotocols.contains(NodeLinkProtocol.subprotocol) else {
            return .refuse(status: 400, body: "this node speaks \(NodeLinkProtocol.subprotocol)\n")
        }
        return .accept(subprotocol: NodeLinkProtocol.subprotocol, limits: .ofNodeLink)
    }

    func opened(_ connection: ConnectionID) {
        let number = shared.nextLink()
        links[connection] = OpenLink(number)
        loop.expedite(connection)
        deliver(.linkOpened(number, connection), 0)
    }

    func isLink(_ connection: ConnectionID) -> Bool { links[connection] != nil }

    func closed(_ connection: ConnectionID, _ reason: CloseReason) {
        guard let link = links.removeValue(forKey: connection) else { return }
        for peer in link.peers.all where link.role(of: RemotePeer.number(of: peer.rawValue)) != nil {
            deliver(.closed(ConnectionID(rawValue: peer.rawValue), reason), 0)
        }
        deliver(.linkClosed(link.number, reason), 0)
    }

    func congested(_ connection: ConnectionID) { if let link = links[connection] { deliver(.linkCongested(link.number), 0) } }
    func drained(_ connection: ConnectionID) { if let link = links[connection] { deliver(.linkDrained(link.number), 0) } }

    // MARK: - Messages

    /// `read` decodes a peer's message.
    func received(_ message: IncomingMessage, on connection: ConnectionID, read: (PairingRole, PeerID, [UInt8]) -> Input) {
        do throws(NodeLinkError) {
            guard message.kind == .binary else { throw NodeLinkError(.unknownKind, "a message of a link is binary") }
            let records = try EdgeMessage.read(message.bytes)
            guard let link = links[connection] else { return }
            for record in records { try take(record, of: link, on: connection, read) }
        } catch {
            logger.error(
                "an edge broke the protocol of links", metadata: ["connection.id": "\(connection)", "error": "\(error)"])
            loop.close(connection, code: CloseCode.protocolError.rawValue, reason: error.message)
        }
    }

    private func take(
        _ record: EdgeMessage, of link: OpenLink, on connection: ConnectionID, _ read: (PairingRole, PeerID, [UInt8]) -> Input
    ) throws(NodeLinkError) {
        /// Nil: the core does not know the peer.
        func known(_ number: Int) throws(NodeLinkError) -> ConnectionID? {
            let peer = try link.peers.peer(number)
            return link.role(of: number) == nil ? nil : ConnectionID(rawValue: peer.rawValue)
        }
        switch record {
        case .open(let number, let opening): try open(number, opening, of: link, on: connection)
        case .text(let number, let bytes):
            guard bytes.count <= WireLimits.messageBytesMax else {
                throw NodeLinkError(.tooLarge, "a peer's message is larger than a peer may send")
            }
            let peer = try link.peers.peer(number)
            guard let role = link.role(of: number) else { return }
            deliver(.said(read(role, peer, bytes), on: ConnectionID(rawValue: peer.rawValue), bytes: bytes.count), bytes.count)
        case .closed(let number): try closed(number, of: link, on: connection)
        case .congested(let number): if let peer = try known(number) { deliver(.congested(peer), 0) }
        case .drained(let number): if let peer = try known(number) { deliver(.drained(peer), 0) }
        case .call(let number, let call):
            let id = HTTPRequestID(rawValue: RemotePeer.call(link: link.number, number: number))
            deliver(.request(HTTPRequest(call), id), call.body.count)
        }
    }

    private func open(
        _ number: Int, _ opening: PeerOpening, of link: OpenLink, on connection: ConnectionID
    ) throws(NodeLinkError) {
        let peer = try link.peers.open(number)
        guard let authenticator = admission.authenticator else {
            return turnAway(number, on: connection, .restarting, CloseCode.restarting(inMilliseconds: .random(in: 0...1_000)))
        }
        guard let shared = authenticator.shared(ofDigest: opening.tokenDigest) else {
            deliver(.tokenUnknown(opening.tokenDigest), 0)
            return turnAway(
                number, on: connection, .restarting, CloseCode.restarting(inMilliseconds: Self.unknownTokenWait))
        }
        guard opening.isHost == (shared.token.role == .host) else {
            throw NodeLinkError(.badValue, "a peer came on a path that its token is not for")
        }
        let authenticated = AuthenticatedPeer(
            shared: shared, baseURL: opening.baseURL, peer: Peer(opening.peer),
            address: opening.counted.map { Peer($0) })
        do throws(ConnectionLimiter.LimitError) { try admission.enter(authenticated) } catch {
            if error == .connectionsPerWorkspace { deliver(.turnedAway(from: shared.token.workspace), 0) }
            return turnAway(
                number, on: connection, .tooMany,
                CloseCode.tooMany(error.sentence, inSeconds: .random(in: 1...ServerLimits.retryAfterSecondsMax)))
        }
        link.set(shared.token.role, of: number)
        deliver(.opened(ConnectionID(rawValue: peer.rawValue), authenticated), 0)
    }

    /// Closes a peer that was never reported to the core.
    private func turnAway(_ number: Int, on connection: ConnectionID, _ code: CloseCode, _ reason: String) {
        tell(.close(number, code: code.rawValue, reason: reason), connection)
    }

    private func closed(_ number: Int, of link: OpenLink, on connection: ConnectionID) throws(NodeLinkError) {
        let peer = try link.peers.closed(number)
        guard link.role(of: number) != nil else { return tell(.forgotten(number), connection) }
        link.set(nil, of: number)
        deliver(.closed(ConnectionID(rawValue: peer.rawValue), .failed("it left its node")), 0)
    }

    private func tell(_ message: OwnerMessage, _ connection: ConnectionID) {
        var writer = RecordWriter()
        message.write(to: &writer)
        loop.send(OutgoingMessage(binary: writer.take()), to: connection)
    }
}
