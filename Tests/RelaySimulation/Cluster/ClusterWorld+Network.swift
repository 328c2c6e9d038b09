import RelayCluster
import RelayModel
import RelayProtocol

/// The network of a cluster: between peers and nodes, and between nodes.
extension ClusterWorld {
    func transit() -> Int64 { dice.chance(faults.delay) ? dice.within(50...3_000) : dice.within(1...5) }
    func hop(_ one: ClusterNode, _ other: ClusterNode) -> Int64 {
        if one.linksAreSlowUntil > now || other.linksAreSlowUntil > now { return dice.within(200...1_500) }
        return dice.chance(faults.linkDelay) ? dice.within(50...2_000) : dice.within(0...2)
    }

    // MARK: Peers

    /// Connects to any node, as a load balancer would choose. The result is `opened` or `closed`.
    func connect(_ role: ClusterSocket.Role) -> ClusterSocket {
        lastSocket += 1
        let socket = ClusterSocket(id: PeerID(rawValue: lastSocket), role: role, node: front(role))
        let node = socket.node
        after(transit()) { world in
            guard node.isUp, node.life == socket.life, !socket.isCut else { return world.learnsPeer(socket, nil, in: 1) }
            world.after(ClusterSocket.connectPatience) { world in
                if !socket.isOpenAtPeer, !socket.isOpenAtNode { world.learnsPeer(socket, nil, in: 0) }
            }
            node.run {
                let workspace = world.workspace(of: role)
                if node.entrants.isRemoved(workspace) {
                    return world.learnsPeer(socket, (CloseCode.revoked.rawValue, CloseCode.revoked.reason), in: 2)
                }
                guard !socket.isCut, node.life == socket.life, node.peers.isServing(workspace) else {
                    return world.learnsPeer(socket, nil, in: 2)
                }
                socket.isOpenAtNode = true
                node.peers.opened(socket)
                socket.lastAtPeer = world.now + world.transit()
                world.at(socket.lastAtPeer) { world in
                    guard !socket.isCut else { return }
                    socket.isOpenAtPeer = true
                    world.peerOpened(socket)
                }
            }
        }
        return socket
    }

    /// The node for a connection: chosen at random; in a drill the next one, as by a load balancer that checks which nodes serve.
    private func front(_ role: ClusterSocket.Role) -> ClusterNode {
        guard isDrilling else { return plant == .reusedNumber ? nodes[0] : dice.pick(nodes) }
        let place = ((lastFront[role] ?? dice.below(nodes.count)) + 1) % nodes.count
        lastFront[role] = place
        return nodes[place]
    }

    func peerOpened(_ socket: ClusterSocket) {
        switch socket.role {
        case .host(let index): hosts[index].opened(socket)
        case .client(let index): clients[index].opened(socket)
        }
    }

    func sendToNode(_ bytes: [UInt8], on socket: ClusterSocket) {
        guard !socket.isCut else { return }
        if dice.chance(faults.cut / 10) { return cut(socket) }
        socket.lastAtNode = max(socket.lastAtNode, now + transit())
        at(socket.lastAtNode) { _ in
            let node = socket.node
            node.run {
                guard socket.isOpenAtNode, node.life == socket.life else { return }
                if socket.isPaused { socket.unread.append(bytes) } else { node.peers.received(bytes, on: socket) }
            }
        }
    }

    func sendToPeer(_ bytes: [UInt8], on socket: ClusterSocket) {
        guard !socket.isCut, socket.isOpenAtNode else { return }
        socket.lastAtPeer = max(socket.lastAtPeer, now + transit())
        at(socket.lastAtPeer) { world in
            guard socket.isOpenAtPeer else { return }
            switch socket.role {
            case .host(let index): world.hosts[index].received(bytes, on: socket)
            case .client(let index): world.clients[index].received(bytes, on: socket)
            }
        }
    }

    /// Breaks the connection. Both ends notice soon, independently.
    func cut(_ socket: ClusterSocket) {
        guard !socket.isCut else { return }
        socket.isCut = true
        trace.note(now, socket.name, "is cut", "from \(socket.node.name)")
        learnsNode(socket, in: plant == .reusedNumber ? 0 : dice.within(0...600))
        learnsPeer(socket, nil, in: dice.within(0...200))
    }

    /// The node closes the connection; messages sent before still arrive.
    func nodeCloses(_ socket: ClusterSocket, _ code: UInt16, _ reason: String) {
        guard !socket.isCut else { return }
        socket.isCut = true
        trace.note(now, socket.node.name, "closes", "\(socket.name) \(socket.id.rawValue): \(code) \(reason)")
        let arrival = max(socket.lastAtPeer, now + transit())
        learnsPeer(socket, (code, reason), in: arrival - now)
        learnsNode(socket, in: arrival - now + dice.within(0...5))
    }

    func peerCloses(_ socket: ClusterSocket) {
        guard !socket.isCut else { return }
        socket.isCut = true
        learnsNode(socket, in: max(socket.lastAtNode, now + transit()) - now)
        learnsPeer(socket, nil, in: 1)
    }

    private func learnsNode(_ socket: ClusterSocket, in wait: Int64) {
        after(wait) { _ in
            let node = socket.node
            node.run {
                guard socket.isOpenAtNode, node.life == socket.life else { return }
                socket.isOpenAtNode = false
                node.peers.closed(socket)
            }
        }
    }

    func learnsPeer(_ socket: ClusterSocket, _ end: (code: UInt16, reason: String)?, in wait: Int64) {
        after(wait) { world in
            socket.isCut = true
            socket.isOpenAtPeer = false
            switch socket.role {
            case .host(let index): world.hosts[index].closed(socket, end)
            case .client(let index): world.clients[index].closed(socket, end)
            }
        }
    }

    // MARK: Links

    func reaches(_ one: ClusterNode, _ other: ClusterNode) -> Bool {
        !(one.linksAreCutUntil > now || other.linksAreCutUntil > now)
    }

    func dial(_ wire: NodeWire) {
        let (edge, owner) = (wire.edge, wire.owner)
        // The longest time that a living node may take.
        after(NodeWire.dialPatience) { world in if !wire.isOpenAtEdge { world.end(wire) } }
        after(hop(edge.node, owner)) { world in
            guard owner.isUp, world.reaches(edge.node, owner) else { return world.end(wire) }
            owner.run {
                guard !wire.isCut, owner.life == wire.ownerLife, owner.holder == edge.owner.holder else {
                    return world.end(wire)
                }
                owner.links.opened(wire)
                wire.lastAtEdge = world.now + world.hop(edge.node, owner)
                world.at(wire.lastAtEdge) { _ in
                    world.atEdge(of: wire) {
                        guard !wire.isCut else { return }
                        wire.isOpenAtEdge = true
                        edge.opened()
                    }
                }
            }
        }
    }

    func sendToOwner(_ bytes: [UInt8], on wire: NodeWire) {
        guard isAlive(wire) else { return }
        wire.waitingBytes += bytes.count
        if wire.waitingBytes > NodeWire.congestedBytes, !wire.isCongested {
            wire.isCongested = true
            after(0) { $0.atEdge(of: wire) { wire.edge.take(.linkCongested) } }
        }
        wire.lastAtOwner = max(wire.lastAtOwner, now + hop(wire.edge.node, wire.owner))
        at(wire.lastAtOwner) { world in
            wire.owner.run {
                wire.waitingBytes -= bytes.count
                if wire.isCongested, wire.waitingBytes < NodeWire.drainedBytes {
                    wire.isCongested = false
                    world.atEdge(of: wire) { wire.edge.take(.linkDrained) }
                }
                guard let number = wire.number, wire.owner.life == wire.ownerLife else { return }
                wire.owner.links.received(bytes, on: number)
            }
        }
    }

    func sendToEdge(_ bytes: [UInt8], for sockets: [Set<PeerID>], on wire: NodeWire) {
        guard isAlive(wire) else { return }
        wire.lastAtEdge = max(wire.lastAtEdge, now + hop(wire.edge.node, wire.owner))
        at(wire.lastAtEdge) { world in
            world.atEdge(of: wire) { if wire.isOpenAtEdge { wire.edge.ownerSaid(bytes, for: sockets) } }
        }
    }

    /// Runs the action only if the process that connected still lives and has not noticed the end.
    private func atEdge(of wire: NodeWire, _ action: @escaping () -> Void) {
        let node = wire.edge.node
        node.run { if node.life == wire.edgeLife, !wire.edge.isOver { action() } }
    }

    private func isAlive(_ wire: NodeWire) -> Bool {
        if !wire.isCut, !reaches(wire.edge.node, wire.owner) { end(wire, isSlow: true) }
        return !wire.isCut
    }

    /// Breaks a link. Each end notices separately, by its heartbeat if there is no other sign.
    func end(_ wire: NodeWire, isSlow: Bool = false) {
        guard !wire.isCut else { return }
        wire.isCut = true
        func wait() -> Int64 { isSlow ? dice.within(100...NodeWire.silenceMax) : dice.within(0...5) }
        after(wait()) { world in
            world.atEdge(of: wire) {
                wire.isOpenAtEdge = false
                wire.edge.ended()
            }
        }
        after(wait()) { _ in
            wire.owner.run {
                guard let number = wire.number, wire.owner.life == wire.ownerLife else { return }
                wire.number = nil
                wire.owner.links.closed(number)
            }
        }
    }
}
