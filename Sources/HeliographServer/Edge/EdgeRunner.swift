import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Feeds the machine of an edge with what happened, and does what it orders. Lives on the main loop's thread.
final class EdgeRunner {
    private let loops: EventLoopGroup
    private let access: Access
    private let routes: EdgeRoutes
    private let reads: EntrantReads
    private let unknownTokens: UnknownTokens
    private let attendance: Attendance
    private let measures: Measures
    private var machine = EdgeMachine()
    /// Set once, before anything happens.
    var link: OwnerLink?
    private var sent = (messages: 0, bytes: 0)

    init(
        loops: EventLoopGroup, access: Access, routes: EdgeRoutes, reads: EntrantReads, unknownTokens: UnknownTokens,
        attendance: Attendance, measures: Measures
    ) {
        self.loops = loops
        self.access = access
        self.routes = routes
        self.reads = reads
        self.unknownTokens = unknownTokens
        self.attendance = attendance
        self.measures = measures
        access.admission.shut(true)
    }

    /// Whether the owner is reached.
    var isServing: Bool { machine.isServing }
    var isIdle: Bool { access.peers.isEmpty }

    // MARK: - What happens

    func take(_ arrival: Arrival) {
        switch arrival {
        case .unread(let bytes, let connection): handle(.peerSaid(PeerID(connection), bytes))
        case .opened(let connection, let authenticated): opened(connection, authenticated)
        case .closed(let connection, let reason): closed(connection, reason)
        case .congested(let connection):
            measures.congested()
            handle(.peerCongested(PeerID(connection)))
        case .drained(let connection): handle(.peerDrained(PeerID(connection)))
        case .request(let request, let id):
            if !routes.answer(request, id, isServing: isServing) {
                handle(.called(EdgeMachine.CallID(rawValue: id.rawValue), HTTPCall(request)))
            }
        case .tokenUnknown: reads.askInTime()
        case .said, .linkOpened, .linkClosed, .linkCongested, .linkDrained:
            preconditionFailure("an edge decodes nothing, and takes no links")
        }
    }

    private func opened(_ connection: ConnectionID, _ authenticated: AuthenticatedPeer) {
        guard attendance.came(connection, authenticated) else { return }
        let token = authenticated.token
        handle(
            .peerOpened(
                PeerID(connection),
                PeerOpening(
                    tokenDigest: token.digest, isHost: token.role == .host, baseURL: authenticated.baseURL,
                    peer: NodePeer(authenticated.peer), counted: authenticated.address.map { NodePeer($0) })))
    }

    private func closed(_ connection: ConnectionID, _ reason: CloseReason) {
        guard attendance.left(connection, reason) else { return }
        handle(.peerClosed(PeerID(connection)))
    }

    /// As the database says.
    func entrantsChanged() {
        unknownTokens.forget()
        reads.readNow()
    }

    /// The turn is over.
    func turnEnded() {
        link?.turnEnded()
        guard sent.messages > 0 else { return }
        measures.sent(messages: sent.messages, bytes: sent.bytes)
        sent = (0, 0)
    }

    // MARK: - What is done

    func handle(_ fact: EdgeMachine.Fact) {
        let wasServing = machine.isServing
        for order in machine.handle(fact) { carryOut(order) }
        guard machine.isServing != wasServing else { return }
        access.admission.shut(!machine.isServing)
        if machine.isServing { measures.linkOpened() } else { measures.linkClosed() }
    }

    private func carryOut(_ order: EdgeMachine.Order) {
        switch order {
        case .tell(let message): link?.tell(message)
        case .send(let bytes, let peers):
            loops.send(OutgoingMessage(text: bytes), to: peers.map { ConnectionID(rawValue: $0.rawValue) })
            sent.messages += peers.count
            sent.bytes += peers.count * bytes.count
        case .close(let peer, let code, let reason): close(peer, code, reason)
        case .dismiss(let hosts, let clients):
            let window = ReturnWindow(peers: hosts.count + clients.count)
            for peer in hosts { dismiss(peer, window.forHosts) }
            for peer in clients { dismiss(peer, window.forClients) }
        case .pauseReading(let peer): loops.pauseReading(ConnectionID(rawValue: peer.rawValue))
        case .resumeReading(let peer): loops.resumeReading(ConnectionID(rawValue: peer.rawValue))
        case .answer(let call, let answer): routes.answered(HTTPRequestID(rawValue: call.rawValue), HTTPResponse(answer))
        case .fail(let call, let failure): routes.failed(HTTPRequestID(rawValue: call.rawValue), failure)
        }
    }

    private func dismiss(_ peer: PeerID, _ milliseconds: ClosedRange<Int64>) {
        close(peer, CloseCode.restarting.rawValue, CloseCode.restarting(inMilliseconds: .random(in: milliseconds)))
    }

    private func close(_ peer: PeerID, _ code: UInt16, _ reason: String) {
        loops.close(ConnectionID(rawValue: peer.rawValue), code: code, reason: reason)
    }
}
