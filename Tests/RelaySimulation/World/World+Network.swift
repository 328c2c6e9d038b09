import HeliographLink
import HostCore
import RelayCore
import RelayModel
import RelayProtocol

/// The network: messages arrive late, in order within a connection, in any order between two; or not at all.
extension World {
    /// Transit time one way, in milliseconds.
    func transit() -> Int64 { dice.chance(faults.delay) ? dice.within(50...3_000) : dice.within(1...5) }

    // MARK: Opening

    func connect(_ role: Connection.Role) -> Connection {
        lastConnection += 1
        let connection = Connection(id: PeerID(rawValue: lastConnection), role: role)
        connections[connection.id] = connection
        after(transit()) { world in
            guard !connection.isCut, world.relay.isOpen else { return world.peerLearns(connection, .failed("refused"), in: 1) }
            connection.isOpenAtRelay = true
            world.trace.note(world.now, connection.name, "connects", "as \(connection.id.rawValue)")
            switch role {
            case .host(let index): world.relay.feed(.hostConnected(connection.id, world.hosts[index].identity))
            case .client(let index): world.relay.feed(.clientConnected(connection.id, world.identity(ofClient: index)))
            case .phone: world.relay.feed(.clientConnected(connection.id, world.phone(connection).identity))
            }
            connection.lastArrivalAtPeer = world.now + world.transit()
            world.at(connection.lastArrivalAtPeer) { world in
                guard !connection.isCut, !connection.isSilent else { return }
                connection.isOpenAtPeer = true
                switch role {
                case .host(let index): world.hosts[index].opened(connection)
                case .client(let index): world.clients[index].opened(connection)
                case .phone: world.phone(connection).opened(connection)
                }
            }
        }
        return connection
    }

    // MARK: Sending

    func sendToRelay(_ bytes: [UInt8], on connection: Connection) {
        guard maySend(on: connection) else { return }
        lastSentAt = now
        connection.lastArrivalAtRelay = max(connection.lastArrivalAtRelay, now + transit())
        at(connection.lastArrivalAtRelay) { world in
            guard connection.isOpenAtRelay, !connection.losesWhatIsUnderWay else { return }
            world.relay.received(bytes, on: connection)
        }
    }

    /// `deliver` runs when the peer reads it.
    func sendToPeer(_ size: Int, on connection: Connection, deliver: @escaping EventQueue<World>.Action) {
        guard maySend(on: connection) else { return }
        lastSentAt = now
        connection.waitingBytes += size
        if connection.waitingBytes > configuration.outboxBytesMax { return relayCloses(connection, .tooSlow) }
        if connection.waitingBytes > configuration.congestedBytes, !connection.isCongested {
            connection.isCongested = true
            after(0) { $0.relay.feed(.congested(connection.id)) }
        }
        connection.lastArrivalAtPeer = max(connection.lastArrivalAtPeer, now + transit())
        if case .client(let index) = connection.role {
            connection.lastArrivalAtPeer = clients[index].reads(at: connection.lastArrivalAtPeer)
        }
        at(connection.lastArrivalAtPeer) { world in
            connection.waitingBytes -= size
            if connection.isCongested, connection.waitingBytes < world.configuration.congestedBytes / 2 {
                connection.isCongested = false
                if connection.isOpenAtRelay { world.after(0) { $0.relay.feed(.drained(connection.id)) } }
            }
            guard connection.isOpenAtPeer, !connection.losesWhatIsUnderWay else { return }
            deliver(world)
        }
    }

    /// Returns false if the connection is broken, or breaks now.
    private func maySend(on connection: Connection) -> Bool {
        guard !connection.isCut, !connection.isSilent else { return false }
        if dice.chance(faults.cut) { cut(connection) } else if dice.chance(faults.silence) { silence(connection) }
        return !connection.isCut && !connection.isSilent
    }

    // MARK: Ends

    /// Resets the connection. Both ends notice soon, independently.
    func cut(_ connection: Connection) {
        guard !connection.isCut else { return }
        trace.note(now, connection.name, "is cut", "\(connection.id.rawValue)")
        connection.isCut = true
        connection.losesWhatIsUnderWay = dice.chance(0.5)
        relayLearns(connection, in: dice.within(0...500))
        peerLearns(connection, .failed("reset"), in: dice.within(0...500))
    }

    /// Makes the connection half-open: each end notices by its own heartbeat, within two intervals.
    func silence(_ connection: Connection) {
        guard !connection.isSilent else { return }
        trace.note(now, connection.name, "goes silent", "\(connection.id.rawValue)")
        connection.isSilent = true
        let patience = Self.heartbeat.hangUpSeconds * 1000
        let ping = Self.heartbeat.pingSeconds * 1000
        relayLearns(connection, in: dice.within(patience - ping...patience))
        peerLearns(connection, .timedOut, in: dice.within(patience - ping...patience))
    }

    /// The relay closes the connection; messages sent before still arrive. `reason` nil is the code's own.
    func relayCloses(_ connection: Connection, _ code: CloseCode, _ reason: String? = nil) {
        guard !connection.isCut else { return }
        trace.note(now, "relay", "closes", "\(connection.name) \(connection.id.rawValue): \(code)")
        connection.isCut = true
        let arrival = max(connection.lastArrivalAtPeer, now + transit())
        if !connection.isSilent {
            peerLearns(connection, .peer(code: code.rawValue, reason: reason ?? code.reason), in: arrival - now)
        }
        relayLearns(connection, in: arrival - now + dice.within(0...20))
    }

    func peerCloses(_ connection: Connection, _ code: CloseCode) {
        guard !connection.isCut else { return }
        connection.isCut = true
        let arrival = max(connection.lastArrivalAtRelay, now + transit())
        if !connection.isSilent { relayLearns(connection, in: arrival - now) }
        peerLearns(connection, .local(code: code.rawValue), in: dice.within(0...20))
    }

    /// The process or machine at one end has gone.
    func peerIsGone(_ connection: Connection, silently: Bool) {
        connection.isOpenAtPeer = false
        if silently { silence(connection) } else { cut(connection) }
    }

    private func relayLearns(_ connection: Connection, in wait: Int64) {
        after(wait) { world in
            guard connection.isOpenAtRelay else { return }
            connection.isOpenAtRelay = false
            connection.isCut = true
            world.forget(connection)
            world.pushes?.presence.left(connection.id)
            if world.plant != .ghosts { world.relay.feed(.disconnected(connection.id)) }
        }
    }

    func peerLearns(_ connection: Connection, _ end: LinkEnd, in wait: Int64) {
        after(wait) { world in
            connection.isCut = true
            connection.isOpenAtPeer = false
            world.forget(connection)
            switch connection.role {
            case .host(let index): world.hosts[index].closed(connection, end)
            case .client(let index): world.clients[index].closed(connection)
            case .phone: world.phone(connection).closed(connection)
            }
        }
    }

    func phone(_ connection: Connection) -> Phone {
        guard case .phone(let index) = connection.role, let pushes else {
            preconditionFailure("a phone's connection is a phone's")
        }
        return pushes.phones[index]
    }

    private func forget(_ connection: Connection) {
        if connection.isCut, !connection.isOpenAtPeer, !connection.isOpenAtRelay { connections[connection.id] = nil }
    }
}
