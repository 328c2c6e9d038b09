import RelayCluster
import RelayCore
import RelayModel
import RelayNode
import RelayProtocol
import WebSocketEngine

/// This node as the edge of one other node: passes what happens to peers of the other's workspaces to the machine, and carries out
/// its orders. Confined to the main loop's thread.
final class EdgeRunner {
    private let loops: EventLoopGroup
    private let routes: NodeRoutes
    private let attendance: Attendance
    private let measures: Measures
    private var machine = EdgeMachine()
    private let link: OwnerLink
    private var sent = (messages: 0, bytes: 0)
    /// Called when the link was opened, or has ended.
    private let changed: () -> Void

    /// `changed` is called when the link was opened, and when it has ended.
    init(
        loops: EventLoopGroup, link: OwnerLink, routes: NodeRoutes, attendance: Attendance, measures: Measures,
        changed: @escaping () -> Void
    ) {
        self.loops = loops
        self.link = link
        self.routes = routes
        self.attendance = attendance
        self.measures = measures
        self.changed = changed
        // Weak: a link that is still being opened when its owner has ended outlives this object, and its end need not be reported.
        link.take = { [weak self] in self?.handle($0) }
    }

    /// True if the owner can be reached.
    var isServing: Bool { machine.isServing }

    func dial(_ owner: NodeAddress) { link.dial(owner) }
    func hangUp() { link.hangUp() }

    // MARK: - What happens

    func opened(_ connection: ConnectionID, _ authenticated: AuthenticatedPeer) {
        guard attendance.came(connection, authenticated) else { return }
        let token = authenticated.token
        handle(
            .peerOpened(
                PeerID(connection),
                PeerOpening(
                    tokenDigest: token.digest, isHost: token.role == .host, baseURL: authenticated.baseURL,
                    peer: NodePeer(authenticated.peer), counted: authenticated.address.map { NodePeer($0) })))
    }

    func said(_ bytes: [UInt8], by connection: ConnectionID) { handle(.peerSaid(PeerID(connection), bytes)) }

    func closed(_ connection: ConnectionID, _ reason: CloseReason) {
        guard attendance.left(connection, reason) else { return }
        handle(.peerClosed(PeerID(connection)))
    }

    func congested(_ connection: ConnectionID) {
        measures.congested()
        handle(.peerCongested(PeerID(connection)))
    }

    func drained(_ connection: ConnectionID) { handle(.peerDrained(PeerID(connection))) }

    /// Forwards a request that only the owner can answer.
    func call(_ request: HTTPRequest, _ id: HTTPRequestID) {
        handle(.called(EdgeMachine.CallID(rawValue: id.rawValue), HTTPCall(request)))
    }

    /// This node ends: disconnects all peers of this edge.
    func leave() { handle(.left) }

    /// Called at the end of a turn.
    func turnEnded() {
        link.turnEnded()
        guard sent.messages > 0 else { return }
        measures.sent(messages: sent.messages, bytes: sent.bytes)
        sent = (0, 0)
    }

    // MARK: - What is done

    private func handle(_ fact: EdgeMachine.Fact) {
        let wasServing = machine.isServing
        for order in machine.handle(fact) { carryOut(order) }
        guard machine.isServing != wasServing else { return }
        if machine.isServing { measures.linkOpened() } else { measures.linkClosed() }
        changed()
    }

    private func carryOut(_ order: EdgeMachine.Order) {
        switch order {
        case .tell(let message): link.tell(message)
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
