import RelayModel
import RelayProtocol

/// A page: watches the workspace, follows every session from its last position, and decides.
final class ClusterClient {
    private struct View {
        let epoch: Epoch
        /// Number of the first event that it has.
        var first: Int64
        var events: [[UInt8]]
        var seq: Int64 { first + Int64(events.count) - 1 }
        /// True after it asked to continue: the next events are checked together with all that it has.
        var isResumed = false
    }

    private unowned let world: ClusterWorld
    private let index: Int
    /// The client's identity; names are the same in every workspace.
    let identity: ClientIdentity
    private var workspace: WorkspaceID { identity.workspace.id }
    private var socket: ClusterSocket?
    private var epoch: Epoch?
    private var views: [SessionID: View] = [:]
    /// Sessions requested on this connection.
    private var followed: Set<SessionID> = []
    /// Subscriptions that were not answered yet.
    private var asked: [CommandID: SessionID] = [:]
    private var isWorkspaceKnown = false
    private var pending: [ApprovalID: Approval] = [:]
    /// Decisions without an answer, over all connections.
    private var unanswered: [CommandID: DecideCommand] = [:]
    private var seenAsks: Set<ApprovalID> = []
    private var attempts: Int64 = 0
    private let eagerness: Double
    /// Its number in its workspace.
    let ordinal: Int
    /// Its phone; nil if it has none.
    private(set) var device: Device?
    private var registering: CommandID?
    /// Codes with which the phone has rung.
    private var codes: [ClusterCode] = []
    /// The key of the host that has to answer, and the command of the last letter; nil if no letter is open.
    private var correspondence: (key: HostKeyID, command: CommandID?)?
    /// True once its token was revoked: it does not reconnect.
    private var isShownOut = false

    init(world: ClusterWorld, index: Int, in workspace: Named<WorkspaceTag>, ordinal: Int) {
        self.world = world
        self.index = index
        self.ordinal = ordinal
        let name = "client\(ordinal)"
        identity = ClientIdentity(
            workspace: workspace, client: Named(id: ClientID(name)!, name: name), scope: Scope(of: .client))
        eagerness = world.dice.pick([0.3, 0.7, 1])
    }

    var name: String { "client\(index)" }

    /// Why the page does not match the log; nil if it does.
    var complaint: String? {
        if isShownOut { return nil }
        guard isWorkspaceKnown else { return "\(name) is not connected" }
        let log = world.database[workspace].log
        for key in log.order {
            let seq = log.sessions[key]?.seq ?? 0
            guard let view = views[key.session], view.epoch == epoch, followed.contains(key.session) else {
                return "\(name) does not follow \(key.session)"
            }
            if view.seq != seq { return "\(name) has \(view.seq) of \(seq) of \(key.session)" }
        }
        if correspondence != nil { return "\(name) has no answer to its letter" }
        return unanswered.isEmpty ? nil : "\(name) has no answer to \(unanswered.count) decisions"
    }

    var isConnected: Bool { socket != nil }

    // MARK: The phone

    func takePhone() { device = world.pushes?.device(ofClient: index, named: identity.client.name) }

    func has(_ device: DeviceID, in workspace: WorkspaceID) -> Bool {
        self.workspace == workspace && self.device?.id == device
    }

    /// An alert appears on the Lock Screen.
    func rang(_ code: ClusterCode) {
        codes.append(code)
        if codes.count > Self.codesMax { codes.removeFirst() }
    }

    private static let codesMax = 8

    /// At times the phone's person decides on the Lock Screen.
    private func useCode() {
        world.after(world.dice.within(500...8_000)) { [self] world in
            guard !world.isCalm, !isShownOut else { return }
            if !codes.isEmpty {
                world.pushes?.present(world.dice.pick(codes), world.dice.chance(0.5) ? .allow : .deny(message: nil))
            }
            useCode()
        }
    }

    private func register() {
        guard let device else { return }
        let id = CommandID(world.name("k"))!
        registering = id
        send(.device(device), as: id)
    }

    // MARK: Letters

    private var key: ClientKey { ClientKey(workspace: workspace, client: identity.client.id) }

    /// Writes to a host until it has answered, then to the next.
    private func write() {
        world.after(world.dice.within(500...3_000)) { [self] world in
            guard let letters = world.letters, !isShownOut else { return }
            if correspondence == nil {
                guard !world.isCalm else { return }
                correspondence = (letters.correspondent(of: key), nil)
            }
            guard let (host, _) = correspondence else { return }
            let id = CommandID(world.name("letter-"))!
            correspondence = (host, id)
            send(.letter(letters.letter(of: key, to: host), to: .host(host)), as: id)
            if !letters.isAnswerable(host), world.isCalm { correspondence = nil }
            write()
        }
    }

    private func answered(_ reply: Reply, ofLetterTo host: HostKeyID) {
        guard let letters = world.letters else { return }
        if case .done = reply { letters.sent(to: host, by: name) }
        if !letters.isAnswerable(host) { correspondence = nil }
    }

    // MARK: The connection

    func start() {
        connect()
        if device != nil { useCode() }
        if world.letters != nil { write() }
    }

    private func connect() { if socket == nil { socket = world.connect(.client(index)) } }

    func opened(_ socket: ClusterSocket) {
        guard self.socket === socket else { return world.peerCloses(socket) }
        world.sendToNode(ClientMessage.hello(Hello(software: "simulated")).bytes, on: socket)
    }

    func closed(_ socket: ClusterSocket, _ end: (code: UInt16, reason: String)?) {
        guard self.socket === socket else { return }
        self.socket = nil
        (epoch, isWorkspaceKnown, followed, asked, pending) = (nil, false, [], [:], [:])
        attempts += 1
        registering = nil
        if end?.code == CloseCode.revoked.rawValue {
            isShownOut = true
            return world.wasShownOut(name, of: workspace)
        }
        let named = end.flatMap { CloseCode.wait($0.code, $0.reason) }
        world.after(named ?? world.dice.within(50...min(200 << min(attempts, 4), ClusterSocket.retryMax))) { [self] _ in
            connect()
        }
    }

    private func send(_ command: ClientCommand, as id: CommandID? = nil) {
        guard let socket, epoch != nil else { return }
        world.sendToNode(ClientMessage.command(id ?? CommandID(world.name("k"))!, command).bytes, on: socket)
    }

    // MARK: Receiving

    func received(_ bytes: [UInt8], on socket: ClusterSocket) {
        guard self.socket === socket else { return }
        let message: MessageToClient
        do throws(WireError) { message = try MessageToClient(parsing: bytes) } catch {
            return world.report(.delivery, "\(name) gets what is no client's: \(error)")
        }
        switch message {
        case .welcome(let welcome, let client, let named, _):
            if named.id != workspace || !world.history(of: workspace).knows(welcome.epoch) {
                world.report(.wall, "\(name) of \(workspace) is welcomed to \(named.id) in \(welcome.epoch)")
            }
            if !world.database[workspace].names.contains(named.name) {
                world.report(.wall, "\(name) is welcomed to \(workspace) as \(named.name), which it never was called")
            }
            if client.id != identity.client.id { world.report(.delivery, "\(name) is welcomed as \(client.id)") }
            epoch = welcome.epoch
            attempts = 0
            send(.subscribe(nil, after: nil))
            register()
            for session in views.keys.sorted(by: { $0.rawValue < $1.rawValue }) { follow(session) }
            for (id, decide) in unanswered.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { send(.decide(decide), as: id) }
        case .workspaceSnapshot(let summaries, let approvals, _, _):
            isWorkspaceKnown = true
            for summary in summaries { follow(summary.session) }
            for approval in approvals { take(approval) }
        case .summary(let summary): follow(summary.session)
        case .approval(let approval): take(approval)
        case .sessionSnapshot(let tail, let seq, _, _):
            let first = tail.events.isEmpty ? seq + 1 : tail.first
            views[tail.session] = View(epoch: tail.epoch, first: first, events: tail.events)
            check(tail.session, from: first)
        case .events(let run): took(run)
        case .reset(let session, _): views[session] = nil
        case .reply(let id, let reply): replied(id, reply)
        case .letter(let letter, .host(let host)):
            world.letters?.reached(key, as: .client(index), letter, from: host)
            if correspondence?.key == host { correspondence = nil }
        default: break
        }
    }

    private func follow(_ session: SessionID) {
        guard epoch != nil, followed.insert(session).inserted else { return }
        views[session]?.isResumed = true
        let id = CommandID(world.name("k"))!
        asked[id] = session
        // A page may also have a position of an earlier life: the relay replies that it is invalid.
        send(.subscribe(session, after: views[session].map { Position(epoch: $0.epoch, seq: $0.seq) }), as: id)
    }

    /// A session that was lost with a database's tail is listed again once its host has sent it.
    private func cannotFollow(_ session: SessionID, _ notice: Notice) {
        followed.remove(session)
        guard notice.code == "notFound" else { return world.after(500) { [self] _ in follow(session) } }
        views[session] = nil
    }

    private func took(_ run: SessionEvents) {
        guard var view = views[run.session] else {
            return world.report(.view, "\(name) gets events of \(run.session) from \(run.first) without a place for them")
        }
        guard run.epoch == view.epoch, run.first == view.seq + 1 else {
            return world.report(
                .view, "\(name) has \(view.seq) of \(run.session) in \(view.epoch), and gets \(run.first) in \(run.epoch)")
        }
        let first = view.isResumed ? view.first : run.first
        view.events += run.events
        view.isResumed = false
        views[run.session] = view
        check(run.session, from: first)
    }

    private func check(_ session: SessionID, from first: Int64) {
        guard let view = views[session] else { return }
        let key = SessionKey(workspace: workspace, session: session)
        let stored = world.history(of: workspace).events(of: key, in: view.epoch)
        let part = Array(view.events[Int(first - view.first)...])
        if let complaint = ViewChecker.compare(part, first: first, with: stored) {
            world.report(.view, "\(name) in \(view.epoch), \(session): \(complaint)")
        }
    }

    // MARK: Deciding

    private func take(_ approval: Approval) {
        guard approval.stage == .pending else { return pending[approval.id] = nil }
        pending[approval.id] = approval
        guard seenAsks.insert(approval.id).inserted, world.dice.chance(eagerness) else { return }
        world.after(world.dice.within(50...4_000)) { [self] world in
            let decide = DecideCommand(
                session: approval.session, approval: approval.id, digest: approval.request.digest,
                verdict: world.dice.chance(0.5) ? .allow : .deny(message: nil))
            let id = CommandID(world.name("decide-"))!
            unanswered[id] = decide
            send(.decide(decide), as: id)
        }
    }

    private func replied(_ id: CommandID, _ reply: Reply) {
        if let session = asked.removeValue(forKey: id) {
            if case .failed(let notice, _) = reply { cannotFollow(session, notice) }
            return
        }
        if id == registering {
            registering = nil
            if case .failed = reply { world.after(500) { [self] _ in register() } }
            return
        }
        if let (host, command) = correspondence, command == id { return answered(reply, ofLetterTo: host) }
        guard let decide = unanswered[id] else { return }
        if case .failed(let notice, _) = reply, ["unavailable", "tooMany"].contains(notice.code) {
            return world.after(500) { [self] _ in if unanswered[id] != nil { send(.decide(decide), as: id) } }
        }
        unanswered[id] = nil
    }
}
