import RelayCluster
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Every connection that the core talks to, whichever node has its socket: its own go to the loops, those of edges over their links. Lives on
/// the core's thread.
final class PeerConnections {
    /// One edge. What a turn has for it goes out together.
    private struct Edge {
        let connection: ConnectionID
        /// By the edge's numbers: who has it now. What is for somebody who had it before goes nowhere.
        var peers: [UInt64] = []
        var gathered = RecordWriter()
        var shares = LinkShares()
        /// What waits on the link is being asked for, or was a moment ago.
        var isWeighed = false
    }

    private let loops: EventLoopGroup
    private var links: [Int: Edge] = [:]
    /// Of what waits on a link, a peer's own part has become too large (true), or small again. Set once, before anything happens.
    var shareChanged: (ConnectionID, Bool) -> Void = { _, _ in }

    /// While much waits on a link, so often it is asked for.
    private static let weighInterval = Duration.milliseconds(10)

    init(loops: EventLoopGroup) { self.loops = loops }

    // MARK: - Links

    func linkOpened(_ link: Int, _ connection: ConnectionID) { links[link] = Edge(connection: connection) }
    func linkClosed(_ link: Int) { links[link] = nil }

    /// A peer is here: what is for it goes to it from now on.
    func came(_ connection: ConnectionID) {
        guard let link = RemotePeer.link(of: connection.rawValue), links[link] != nil else { return }
        let number = RemotePeer.number(of: connection.rawValue)
        while links[link]!.peers.count <= number { links[link]!.peers.append(0) }
        links[link]!.peers[number] = connection.rawValue
    }

    /// It is gone: nothing is sent to it any more, and its edge may give its number to another.
    func gone(_ connection: ConnectionID) {
        guard let (link, number) = place(of: connection.rawValue) else { return }
        links[link]!.peers[number] = 0
        tell(.forgotten(number), link)
    }

    /// Nil where it is not at an edge, or not there any more.
    private func place(of peer: UInt64) -> (link: Int, number: Int)? {
        guard let link = RemotePeer.link(of: peer), let peers = links[link]?.peers else { return nil }
        let number = RemotePeer.number(of: peer)
        return peers.indices.contains(number) && peers[number] == peer ? (link, number) : nil
    }

    /// Something leaves only when the turn has ended.
    var isGathering: Bool { loops.isGathering || links.values.contains { !$0.gathered.isEmpty } }

    /// What this turn has for edges is sent.
    func turnEnded() {
        for link in links.keys {
            flush(link)
            weigh(link)
        }
    }

    /// `peer` is whose part of the link it takes; nil where it is nobody's, or where several get it at once.
    private func tell(_ message: OwnerMessage, _ link: Int, of peer: UInt64? = nil) {
        // A link that has ended has no peers left.
        guard links[link] != nil else { return }
        let before = links[link]!.gathered.count
        message.write(to: &links[link]!.gathered)
        links[link]!.shares.tell(links[link]!.gathered.count - before, of: peer)
        if links[link]!.gathered.count >= NodeLinkLimits.gatheredBytesMax { flush(link) }
    }

    private func flush(_ link: Int) {
        guard let connection = links[link]?.connection, links[link]?.gathered.isEmpty == false else { return }
        loops.send(OutgoingMessage(binary: links[link]!.gathered.take()), to: connection)
    }

    // MARK: - Shares

    /// Where so much was told that a peer's part may have become too large or small again, asks how much of it waits.
    private func weigh(_ link: Int) {
        guard let edge = links[link], !edge.isWeighed, edge.shares.unsettled > NodeLinkLimits.shareDrainedBytes else { return }
        links[link]?.isWeighed = true
        let (connection, told) = (edge.connection, edge.shares.told)
        loops.weigh(connection) { [weak self] waiting in
            // Its number may be another's by now.
            guard let self, links[link]?.connection == connection else { return }
            settle(link, told, waiting)
            guard waiting > NodeLinkLimits.shareDrainedBytes else {
                links[link]?.isWeighed = false
                return
            }
            _ = loops.main.schedule(after: Self.weighInterval) { [weak self] in
                guard let self, links[link]?.connection == connection else { return }
                links[link]?.isWeighed = false
                weigh(link)
            }
        }
    }

    private func settle(_ link: Int, _ told: Int, _ waiting: Int) {
        guard let changes = links[link]?.shares.settle(told, waiting: waiting) else { return }
        for peer in changes.filled { shareChanged(ConnectionID(rawValue: peer), true) }
        for peer in changes.drained { shareChanged(ConnectionID(rawValue: peer), false) }
    }

    // MARK: - Orders, in order for each connection

    /// One message to each of these. The loops know nobody who has gone; command peers have no connection, and are passed over.
    func send(_ bytes: [UInt8], to peers: [PeerID]) {
        var own: [ConnectionID] = []
        own.reserveCapacity(peers.count)
        guard !links.isEmpty else {
            for peer in peers where !peer.isCommandPeer { own.append(ConnectionID(rawValue: peer.rawValue)) }
            return loops.send(OutgoingMessage(text: bytes), to: own)
        }
        // A crowd's names are in order, and those of one link stand together: what is of the link is looked up once for all of them.
        var (remote, link, members): ([Remote], Int, [UInt64]) = ([], 0, [])
        for peer in peers where !peer.isCommandPeer {
            let name = peer.rawValue
            guard let its = RemotePeer.link(of: name) else {
                own.append(ConnectionID(rawValue: name))
                continue
            }
            if remote.isEmpty || its != link {
                (link, members) = (its, links[its]?.peers ?? [])
                remote.append(Remote(link: its))
            }
            let number = RemotePeer.number(of: name)
            // Of one that has gone its edge knows nothing.
            if members.indices.contains(number), members[number] == name { remote[remote.count - 1].numbers.append(number) }
        }
        if !own.isEmpty { loops.send(OutgoingMessage(text: bytes), to: own) }
        for group in remote where !group.numbers.isEmpty {
            let only = group.numbers.count == 1 ? links[group.link]?.peers[group.numbers[0]] : nil
            tell(.text(group.numbers, bytes), group.link, of: only)
        }
    }

    /// Some of those that a message is for: peers of one edge.
    private struct Remote {
        let link: Int
        var numbers: [Int] = []
    }

    func close(_ connection: ConnectionID, code: UInt16, reason: String) {
        guard let (link, number) = place(of: connection.rawValue) else {
            return loops.close(connection, code: code, reason: reason)
        }
        tell(.close(number, code: code, reason: reason), link)
    }

    func pauseReading(_ connection: ConnectionID) {
        guard let (link, number) = place(of: connection.rawValue) else { return loops.pauseReading(connection) }
        tell(.pause(number), link)
    }

    func resumeReading(_ connection: ConnectionID) {
        guard let (link, number) = place(of: connection.rawValue) else { return loops.resumeReading(connection) }
        tell(.resume(number), link)
    }

    func respond(to request: HTTPRequestID, _ response: HTTPResponse) {
        guard let link = RemotePeer.link(of: request.rawValue) else { return loops.respond(to: request, response) }
        var answer = HTTPAnswer(response)
        // A link has room for what its peers are sent. Only reads have such answers, so nothing was done.
        if answer.body.count > NodeLinkLimits.smallAnswerBytes, let unsettled = links[link]?.shares.unsettled,
            unsettled + answer.body.count > NodeLinkLimits.answersBytesMax
        {
            answer = HTTPAnswer(Self.tooMuch)
        }
        tell(.answer(RemotePeer.callNumber(of: request.rawValue), answer), link)
    }

    private static var tooMuch: HTTPResponse {
        let notice = Notice(
            code: ErrorCode.unavailable.rawValue, message: "too much waits on its way to this node; try again")
        var response = HTTPResponse.json(503, notice)
        response.headers.append(HTTPResponse.retryAfter())
        return response
    }
}
