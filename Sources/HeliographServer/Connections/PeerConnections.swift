import RelayCluster
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Every connection of the core's peers, whichever node has the socket: own ones are on the loops, those of edges on their links.
/// Confined to the core's thread.
final class PeerConnections {
    /// One edge, with its output of this turn. A class, so that it is looked up once and changed in place.
    private final class Edge {
        let connection: ConnectionID
        /// The peer that has each of the edge's numbers now. Messages to a number's earlier peer are dropped.
        var peers: [UInt64] = []
        var gathered = RecordWriter()
        var shares = LinkShares()
        /// True while the bytes that wait on the link are being queried.
        var isWeighed = false

        init(_ connection: ConnectionID) { self.connection = connection }

        func has(_ peer: UInt64) -> Bool {
            let number = RemotePeer.number(of: peer)
            return peers.indices.contains(number) && peers[number] == peer
        }
    }

    private let loops: EventLoopGroup
    private var links: [Int: Edge] = [:]
    /// Called when a peer's share of the bytes that wait on a link has become too large (true), or small again. Set once, before
    /// anything else.
    var shareChanged: (ConnectionID, Bool) -> Void = { _, _ in }

    /// The largest number of peers of one edge that a message was sent to, since this was set to 0.
    var largestCrowd = 0

    /// Interval of the queries while much waits on a link.
    private static let weighInterval = Duration.milliseconds(10)

    init(loops: EventLoopGroup) { self.loops = loops }

    // MARK: - Links

    func linkOpened(_ link: Int, _ connection: ConnectionID) { links[link] = Edge(connection) }
    func linkClosed(_ link: Int) { links[link] = nil }

    /// A peer of an edge has connected: messages for it are sent from now on.
    func came(_ connection: ConnectionID) {
        guard let edge = RemotePeer.link(of: connection.rawValue).flatMap({ links[$0] }) else { return }
        let number = RemotePeer.number(of: connection.rawValue)
        while edge.peers.count <= number { edge.peers.append(0) }
        edge.peers[number] = connection.rawValue
    }

    /// A peer has disconnected: nothing is sent to it any more, and its edge may reuse its number.
    func gone(_ connection: ConnectionID) {
        guard let (edge, number) = place(of: connection.rawValue) else { return }
        edge.peers[number] = 0
        tell(.forgotten(number), edge)
    }

    /// Nil if the peer is not at an edge, or has disconnected.
    private func place(of peer: UInt64) -> (edge: Edge, number: Int)? {
        guard let link = RemotePeer.link(of: peer), let edge = links[link], edge.has(peer) else { return nil }
        return (edge, RemotePeer.number(of: peer))
    }

    /// True if output waits for the end of the turn.
    var isGathering: Bool { loops.isGathering || links.values.contains { !$0.gathered.isEmpty } }

    /// Sends this turn's output to edges: before a tick that may wait for their peers' answers, and again after it.
    func flush() { for edge in links.values { flush(edge) } }

    func turnEnded() {
        for (link, edge) in links {
            flush(edge)
            weigh(edge, link)
        }
    }

    /// `peer`: the peer to whose share of the link the message counts; nil if it goes to several, or to none.
    private func tell(_ message: OwnerMessage, _ edge: Edge, of peer: UInt64? = nil) {
        let before = edge.gathered.count
        message.write(to: &edge.gathered)
        edge.shares.tell(edge.gathered.count - before, of: peer)
        if edge.gathered.count >= NodeLinkLimits.gatheredBytesMax { flush(edge) }
    }

    private func flush(_ edge: Edge) {
        guard !edge.gathered.isEmpty else { return }
        loops.send(OutgoingMessage(binary: edge.gathered.bytes), to: edge.connection)
        edge.gathered.clear()
    }

    // MARK: - Shares

    /// After enough output for a peer's share to have become too large or small again, queries how much of it still waits.
    private func weigh(_ edge: Edge, _ link: Int) {
        guard !edge.isWeighed, edge.shares.unsettled > NodeLinkLimits.shareDrainedBytes else { return }
        edge.isWeighed = true
        let told = edge.shares.told
        loops.weigh(edge.connection) { [weak self] waiting in
            // The link may have ended, and its number may be another link's by now.
            guard let self, links[link] === edge else { return }
            settle(edge, told, waiting)
            guard waiting > NodeLinkLimits.shareDrainedBytes else { return edge.isWeighed = false }
            _ = loops.main.schedule(after: Self.weighInterval) { [weak self] in
                guard let self, links[link] === edge else { return }
                edge.isWeighed = false
                weigh(edge, link)
            }
        }
    }

    private func settle(_ edge: Edge, _ told: Int, _ waiting: Int) {
        let changes = edge.shares.settle(told, waiting: waiting)
        for peer in changes.filled { shareChanged(ConnectionID(rawValue: peer), true) }
        for peer in changes.drained { shareChanged(ConnectionID(rawValue: peer), false) }
    }

    // MARK: - Orders, in order for each connection

    /// Sends one message to each of these. Disconnected peers are unknown to the loops; command peers have no connection, and are
    /// skipped.
    func send(_ bytes: [UInt8], to peers: [PeerID]) {
        var own: [ConnectionID] = []
        own.reserveCapacity(peers.count)
        guard !links.isEmpty else {
            for peer in peers where !peer.isCommandPeer { own.append(ConnectionID(rawValue: peer.rawValue)) }
            return loops.send(OutgoingMessage(text: bytes), to: own)
        }
        // Peers are sorted, so those of one link are adjacent: the link is looked up once for all of them.
        var (remote, link, members): ([Remote], Int, [UInt64]) = ([], 0, [])
        for peer in peers where !peer.isCommandPeer {
            let name = peer.rawValue
            guard let its = RemotePeer.link(of: name) else {
                own.append(ConnectionID(rawValue: name))
                continue
            }
            if its != link {
                // A link that has ended has no peers.
                let edge = links[its]
                (link, members) = (its, edge?.peers ?? [])
                if let edge { remote.append(Remote(edge: edge)) }
            }
            let number = RemotePeer.number(of: name)
            // A peer that has disconnected is skipped.
            if members.indices.contains(number), members[number] == name { remote[remote.count - 1].numbers.append(number) }
        }
        if !own.isEmpty { loops.send(OutgoingMessage(text: bytes), to: own) }
        for group in remote where !group.numbers.isEmpty {
            let only = group.numbers.count == 1 ? group.edge.peers[group.numbers[0]] : nil
            largestCrowd = max(largestCrowd, group.numbers.count)
            tell(.text(group.numbers, bytes), group.edge, of: only)
        }
    }

    /// A message's recipients at one edge.
    private struct Remote {
        let edge: Edge
        var numbers: [Int] = []
    }

    func close(_ connection: ConnectionID, code: UInt16, reason: String) {
        guard let (edge, number) = place(of: connection.rawValue) else {
            return loops.close(connection, code: code, reason: reason)
        }
        tell(.close(number, code: code, reason: reason), edge)
    }

    func pauseReading(_ connection: ConnectionID) {
        guard let (edge, number) = place(of: connection.rawValue) else { return loops.pauseReading(connection) }
        tell(.pause(number), edge)
    }

    func resumeReading(_ connection: ConnectionID) {
        guard let (edge, number) = place(of: connection.rawValue) else { return loops.resumeReading(connection) }
        tell(.resume(number), edge)
    }

    func respond(to request: HTTPRequestID, _ response: HTTPResponse) {
        guard let link = RemotePeer.link(of: request.rawValue) else { return loops.respond(to: request, response) }
        guard let edge = links[link] else { return }
        var answer = HTTPAnswer(response)
        // Links have space for messages to their peers, so the answer is refused instead. Only reads have answers this large, so
        // nothing was changed.
        if answer.body.count > NodeLinkLimits.smallAnswerBytes,
            edge.shares.unsettled + answer.body.count > NodeLinkLimits.answersBytesMax
        {
            answer = HTTPAnswer(Self.tooMuch)
        }
        tell(.answer(RemotePeer.callNumber(of: request.rawValue), answer), edge)
    }

    private static var tooMuch: HTTPResponse {
        let notice = Notice(
            code: ErrorCode.unavailable.rawValue, message: "too much waits on its way to this node; try again")
        var response = HTTPResponse.json(503, notice)
        response.headers.append(HTTPResponse.retryAfter())
        return response
    }
}
