import RelayCluster
import RelayModel
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
    }

    private let loops: EventLoopGroup
    private var links: [Int: Edge] = [:]

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

    /// What this turn has for edges is sent.
    func turnEnded() { for link in links.keys { flush(link) } }

    private func tell(_ message: OwnerMessage, _ link: Int) {
        // A link that has ended has no peers left.
        guard links[link] != nil else { return }
        message.write(to: &links[link]!.gathered)
        if links[link]!.gathered.count >= NodeLinkLimits.gatheredBytesMax { flush(link) }
    }

    private func flush(_ link: Int) {
        guard let connection = links[link]?.connection, links[link]?.gathered.isEmpty == false else { return }
        loops.send(OutgoingMessage(binary: links[link]!.gathered.take()), to: connection)
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
        var remote: [Int: [Int]] = [:]
        for peer in peers where !peer.isCommandPeer {
            if let (link, number) = place(of: peer.rawValue) {
                remote[link, default: []].append(number)
            } else {
                own.append(ConnectionID(rawValue: peer.rawValue))
            }
        }
        if !own.isEmpty { loops.send(OutgoingMessage(text: bytes), to: own) }
        for (link, numbers) in remote { tell(.text(numbers, bytes), link) }
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
        tell(.answer(RemotePeer.callNumber(of: request.rawValue), HTTPAnswer(response)), link)
    }
}
