import RelayCluster
import RelayModel
import RelayProtocol

/// One node as a process: the shipped machines of a cluster, first as an edge and then as the owner, and its end at any moment.
final class ClusterNode {
    enum Purpose: Hashable { case look, log, lease, reads }

    private enum Part {
        case edge(EdgeMachine)
        /// It owns the log, and its peers are leaving or it loads. Becomes `owner`.
        case becoming
        case owner(OwnerPart)
    }

    /// As the product's `PostgresDatabase.askingMax`, about.
    static let askingMax: Int64 = 3_000
    private static let lookInterval: Int64 = 250
    private static let takeoverWait: Int64 = 300

    unowned let world: ClusterWorld
    let name: String
    /// What its clocks are apart from the truth, and how much faster they run.
    let wallOffset: Int64
    let rate: Double

    private(set) var isUp = false
    private(set) var isFrozen = false
    private(set) var life = 0
    private(set) var holder = ""
    private var machine = ClusterMachine(holder: "", name: "")
    private var part = Part.edge(EdgeMachine())
    private var sockets: [PeerID: ClusterSocket] = [:]
    private var connections: [Purpose: DatabaseConnection] = [:]
    /// What happened while it was stopped.
    private var postponed: [(ClusterNode) -> Void] = []
    var wire: NodeWire?
    private var gathered = RecordWriter()
    /// Which peer the record that is being handled is for.
    private var addressees: Set<PeerID>?
    var linksAreCutUntil: Int64 = 0
    var linksAreSlowUntil: Int64 = 0
    var databaseIsCutUntil: Int64 = 0

    init(world: ClusterWorld, index: Int) {
        self.world = world
        name = "node\(index)"
        wallOffset = world.dice.pick([0, 0, 3_600_000, -3_600_000])
        rate = world.dice.pick([1, 1, 1.2])
    }

    var owner: OwnerPart? { if case .owner(let owner) = part { owner } else { nil } }
    var edge: EdgeMachine? { if case .edge(let edge) = part { edge } else { nil } }
    private var isBecoming: Bool { if case .becoming = part { true } else { false } }

    /// Whether somebody who comes now is let in.
    var isServing: Bool {
        switch part {
        case .edge(let machine): machine.isServing
        case .becoming: false
        case .owner(let owner): owner.isServing
        }
    }

    /// By its own steady clock.
    var uptime: Int64 { Int64(Double(world.now) * rate) }
    var instant: Instant { Instant(wall: World.wallAtStart + wallOffset + uptime, uptime: uptime) }
    var address: NodeAddress { NodeAddress(holder: holder, name: name, url: "http://\(name)", secret: "s", version: 1) }

    // MARK: Life

    func start() {
        guard !isUp else { return }
        isUp = true
        holder = world.name(name + "-")
        machine = ClusterMachine(holder: holder, name: name)
        part = .edge(EdgeMachine())
        world.trace.note(world.now, name, "starts", "as \(holder)")
        look()
    }

    /// At once, in the middle of whatever it does.
    func end(_ reason: String) {
        guard isUp else { return }
        world.trace.note(world.now, name, "ends", reason)
        isUp = false
        isFrozen = false
        life += 1
        postponed = []
        if let wire { world.end(wire) }
        for wire in owner?.links.wires ?? [] { world.end(wire) }
        wire = nil
        _ = gathered.take()
        for socket in sockets.values.sorted(by: { $0.id < $1.id }) {
            socket.isOpenAtNode = false
            world.learnsPeer(socket, nil, in: world.dice.within(0...20))
        }
        sockets = [:]
        for connection in connections.values { world.after(world.dice.within(1...20)) { _ in connection.close() } }
        connections = [:]
        part = .edge(EdgeMachine())
        world.after(world.dice.within(300...3_000)) { [self] _ in start() }
    }

    /// Politely.
    func stop() {
        guard isUp, !isFrozen else { return }
        world.trace.note(world.now, name, "is asked to end")
        _ = machine.handle(.stopOrdered, at: uptime)
        switch part {
        case .edge: take(.left)
        case .becoming: break
        case .owner(let owner): owner.suspend(reloads: false)
        }
        inThisLife(after: 500) { node in
            if node.reachesDatabase { node.world.database.giveUp(node.holder) }
            node.end("as it was asked to")
        }
    }

    func freeze(for wait: Int64) {
        guard isUp, !isFrozen else { return }
        isFrozen = true
        world.trace.note(world.now, name, "is stopped", "for \(wait) ms")
        let life = life
        world.after(wait) { [self] _ in if life == self.life { thaw() } }
    }

    func thaw() {
        guard isFrozen else { return }
        isFrozen = false
        world.trace.note(world.now, name, "goes on")
        let due = postponed
        postponed = []
        let life = life
        for action in due where life == self.life { action(self) }
    }

    /// Now, or when it goes on.
    func run(_ action: @escaping (ClusterNode) -> Void) {
        guard isUp else { return }
        if isFrozen { postponed.append(action) } else { action(self) }
    }

    func inThisLife(after wait: Int64, _ action: @escaping (ClusterNode) -> Void) {
        let life = life
        world.after(max(0, Int64(Double(wait) / rate))) { [self] _ in
            guard life == self.life else { return }
            run(action)
        }
    }

    // MARK: The database

    var reachesDatabase: Bool { databaseIsCutUntil <= world.now && !world.database.isAway }

    /// One question, on this purpose's connection; `answer` gets nil where there was none in time.
    func ask<Answer>(
        _ purpose: Purpose, within limit: Int64 = ClusterNode.askingMax,
        _ question: @escaping (ClusterDatabase, DatabaseConnection, @escaping (Answer) -> Void) -> Void,
        answer: @escaping (ClusterNode, Answer?) -> Void
    ) {
        var isOver = false
        let life = life
        let end = { (node: ClusterNode, value: Answer?) in
            guard !isOver, node.life == life else { return }
            isOver = true
            if value == nil { node.drop(purpose) }
            answer(node, value)
        }
        inThisLife(after: limit) { end($0, nil) }
        guard databaseIsCutUntil <= world.now else { return }
        guard let connection = connection(purpose) else { return inThisLife(after: 20) { end($0, nil) } }
        connection.whenClosed = { [weak self] in self?.inThisLife(after: 5) { end($0, nil) } }
        world.after(world.dice.within(0...2)) { [self] world in
            guard connection.isOpen, databaseIsCutUntil <= world.now else { return }
            question(world.database, connection) { value in
                world.after(world.dice.within(0...2)) { [self] world in
                    guard databaseIsCutUntil <= world.now else { return }
                    inThisLife(after: 0) { end($0, value) }
                }
            }
        }
    }

    /// Its connections may be over at once, or be noticed later.
    func loseDatabase(for wait: Int64) {
        databaseIsCutUntil = world.now + wait
        guard world.dice.chance(0.5) else { return }
        for purpose in [Purpose.look, .log, .lease, .reads] { connections[purpose]?.close() }
    }

    private func connection(_ purpose: Purpose) -> DatabaseConnection? {
        if let open = connections[purpose], open.isOpen { return open }
        connections[purpose] = world.database.connect(as: holder)
        return connections[purpose]
    }

    private func drop(_ purpose: Purpose) {
        guard let connection = connections.removeValue(forKey: purpose) else { return }
        connection.whenClosed = nil
        // One that cannot be reached is noticed later.
        world.after(reachesDatabase ? 5 : world.dice.within(3_000...8_000)) { _ in connection.close() }
    }

    // MARK: Edge or owner

    private func look() {
        guard case .edge = part else { return }
        ask(.look) { [holder] database, _, reply in
            reply(database.view(for: holder))
        } answer: { node, view in
            if let view { node.decide(.looked(view)) }
            node.inThisLife(after: Self.lookInterval) { $0.look() }
        }
    }

    private func decide(_ fact: ClusterMachine.Fact) {
        for order in machine.handle(fact, at: uptime) {
            switch order {
            case .claim(let generation): claim(over: generation)
            case .renew:
                ask(.look) { [address] database, _, reply in
                    reply(database.renew(address))
                } answer: { _, _ in
                }
            case .dial(let owner): world.dial(owner, from: self)
            case .hangUp: if let wire { world.end(wire) }
            case .serve, .leave, .tellOfVersion: break
            }
        }
    }

    private func claim(over generation: Int64) {
        world.trace.note(world.now, name, "claims", "over generation \(generation)")
        ask(.look) { [address] (database, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
            database.renew(address)
            database.begin(.claim(over: generation), on: connection, reply: reply)
        } answer: { node, outcome in
            guard case .claimed(let row) = outcome else { return node.decide(.claimFailed) }
            node.decide(.claimed)
            node.own(row)
        }
    }

    private func own(_ row: ClusterDatabase.Row) {
        take(.left)
        if let wire { world.end(wire) }
        part = .becoming
        let renewed = uptime
        inThisLife(after: sockets.isEmpty ? 10 : Self.takeoverWait) { node in
            guard node.isBecoming else { return }
            for socket in node.sockets.values.sorted(by: { $0.id < $1.id }) {
                socket.isOpenAtNode = false
                node.world.cut(socket)
            }
            node.sockets = [:]
            node.wire = nil
            let owner = OwnerPart(node, row, renewed: renewed)
            node.part = .owner(owner)
            owner.start()
        }
    }

    // MARK: Peers of its own

    func opened(_ socket: ClusterSocket) {
        sockets[socket.id] = socket
        world.trace.note(world.now, name, "takes", "\(socket.name) as \(socket.id.rawValue)")
        switch part {
        case .edge:
            take(.peerOpened(socket.id, PeerOpening(of: socket)))
        case .becoming: world.nodeCloses(socket, CloseCode.restarting.rawValue, CloseCode.restarting.reason)
        case .owner(let owner): owner.opened(socket.id, socket.role)
        }
    }

    func received(_ bytes: [UInt8], on socket: ClusterSocket) {
        switch part {
        case .edge: take(.peerSaid(socket.id, bytes))
        case .becoming: break
        case .owner(let owner): owner.received(bytes, from: socket.id)
        }
    }

    func closed(_ socket: ClusterSocket) {
        guard sockets.removeValue(forKey: socket.id) != nil else { return }
        switch part {
        case .edge: take(.peerClosed(socket.id))
        case .becoming: break
        case .owner(let owner): owner.closed(socket.id)
        }
    }

    func send(_ bytes: [UInt8], to peer: PeerID) { if let socket = sockets[peer] { world.sendToPeer(bytes, on: socket) } }

    func close(_ peer: PeerID, _ code: UInt16, _ reason: String) {
        if let socket = sockets[peer] { world.nodeCloses(socket, code, reason) }
    }

    func hasSocket(_ peer: PeerID) -> Bool { sockets[peer].map { !$0.isCut && $0.isOpenAtPeer } ?? false }

    // MARK: As an edge

    func take(_ fact: EdgeMachine.Fact) {
        guard case .edge(var machine) = part else { return }
        let orders = machine.handle(fact)
        part = .edge(machine)
        for order in orders { carryOut(order) }
    }

    private func carryOut(_ order: EdgeMachine.Order) {
        switch order {
        case .tell(let message):
            tell(message)
            if case .closed(let number) = message, world.plant == .reusedNumber { take(.ownerSaid(.forgotten(number))) }
        case .send(let bytes, let peers):
            for peer in peers {
                world.history.delivers(to: peer, for: addressees)
                send(bytes, to: peer)
            }
        case .close(let peer, let code, let reason):
            world.history.delivers(to: peer, for: addressees)
            close(peer, code, reason)
        case .dismiss(let hosts, let clients):
            for peer in hosts + clients {
                close(peer, CloseCode.restarting.rawValue, CloseCode.restarting(inMilliseconds: world.dice.within(0...1_000)))
            }
        case .pauseReading(let peer): sockets[peer]?.isPaused = true
        case .resumeReading(let peer):
            guard let socket = sockets[peer] else { return }
            socket.isPaused = false
            inThisLife(after: 0) { $0.readOn(socket) }
        case .answer, .fail: break
        }
    }

    private func readOn(_ socket: ClusterSocket) {
        while !socket.isPaused, socket.isOpenAtNode, !socket.unread.isEmpty {
            received(socket.unread.removeFirst(), on: socket)
        }
    }

    /// What one turn has for the owner goes out together.
    private func tell(_ message: EdgeMessage) {
        guard wire?.isOpenAtEdge == true else { return }
        if gathered.isEmpty { inThisLife(after: 0) { $0.flush() } }
        message.write(to: &gathered)
    }

    private func flush() {
        guard let wire, !gathered.isEmpty else { return }
        world.sendToOwner(gathered.take(), on: wire)
    }

    func linkOpened() {
        world.trace.note(world.now, name, "has a link")
        take(.linkOpened)
    }

    func linkEnded() {
        wire = nil
        _ = gathered.take()
        take(.linkEnded)
        decide(.linkEnded)
    }

    func ownerSaid(_ bytes: [UInt8], for sockets: [Set<PeerID>]) {
        do throws(NodeLinkError) {
            let records = try OwnerMessage.read(bytes)
            guard records.count == sockets.count else {
                return world.report(.codec, "\(sockets.count) records were written, \(records.count) are read")
            }
            for (record, addressees) in zip(records, sockets) {
                self.addressees = addressees
                take(.ownerSaid(record))
            }
            addressees = nil
        } catch { world.report(.codec, "\(name) does not understand its owner: \(error)") }
    }

    // MARK: As the owner

    /// False: it takes no links.
    func accept(_ wire: NodeWire) -> Bool {
        guard let owner else { return false }
        owner.links.opened(wire)
        return true
    }

    func linkSaid(_ bytes: [UInt8], on link: Int) { owner?.links.received(bytes, on: link) }
    func linkClosed(_ link: Int) { owner?.links.closed(link) }
}

extension PeerOpening {
    /// Its base URL carries the socket's name, for the checkers.
    init(of socket: ClusterSocket) {
        let (kind, index): (UInt8, Int) =
            switch socket.role {
            case .host(let index): (0, index)
            case .client(let index): (1, index)
            }
        self.init(
            tokenDigest: [kind, UInt8(index)] + [UInt8](repeating: 0, count: 30), isHost: socket.isHost,
            baseURL: "http://\(socket.id.rawValue)", peer: .ip("127.0.0.1"), counted: nil)
    }

    var role: ClusterSocket.Role { tokenDigest[0] == 0 ? .host(Int(tokenDigest[1])) : .client(Int(tokenDigest[1])) }
    var socket: PeerID { PeerID(rawValue: UInt64(baseURL.dropFirst(7)) ?? 0) }
}
