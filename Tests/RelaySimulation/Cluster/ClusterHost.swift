import RelayCore
import RelayModel
import RelayProtocol

/// A machine with sessions, each of which works and asks at times: numbered events, sent again from the relay's position.
final class ClusterHost {
    private struct Session {
        let id: SessionID
        var events: [Event] = []
        /// The next event to send on this connection; nil until the relay has named a position.
        var next: Int64?
        var acknowledged: Int64 = 0
    }

    /// A question of an agent. It has at most one decision, and ends once that was applied.
    private enum Ask {
        case open(InputDigest)
        case applied(CommandID)
    }

    private unowned let world: ClusterWorld
    private let index: Int
    /// The host's identity; names are the same in every workspace.
    let identity: HostIdentity
    /// The host's key, which is the same in every workspace, too.
    let key: HostKeyID
    private var sessions: [Session]
    private var asks: [ApprovalID: Ask] = [:]
    private var socket: ClusterSocket?
    private var isGreeted = false
    private var attempts: Int64 = 0
    /// Number of connections opened so far.
    private var connections: Int64 = 0
    private(set) var timesReplaced = 0

    /// True once its token was revoked: it does not reconnect.
    private var isShownOut = false

    private static let batchMax = 16

    /// `ordinal` is its number in the workspace.
    init(world: ClusterWorld, index: Int, in workspace: WorkspaceID, ordinal: Int) {
        self.world = world
        self.index = index
        let name = "host\(ordinal)"
        key = ClusterLetters.key(ofHost: ordinal)
        identity = HostIdentity(workspace: workspace, host: Named(id: HostID(name)!, name: name), scope: Scope(of: .host))
        sessions = (0..<1 + world.dice.below(2)).map { Session(id: SessionID("\(name)-\($0)")!) }
    }

    var name: String { "host\(index)" }

    func said(in session: SessionID) -> [[UInt8]] { sessions.first { $0.id == session }?.events.map(\.bytes) ?? [] }

    /// Why the host does not match the log; nil if it does.
    var complaint: String? {
        if isShownOut { return nil }
        guard isGreeted else { return "\(name) is not connected" }
        for session in sessions where session.acknowledged != Int64(session.events.count) {
            return "\(session.id) has \(session.acknowledged) of \(session.events.count) acknowledged"
        }
        return nil
    }

    var isConnected: Bool { socket != nil }

    // MARK: Life

    func start() {
        for index in sessions.indices { say(.sessionStarted(SessionFacts(agentName: "simulated")), index) }
        connect()
        work()
    }

    /// Adds an event to each session, whether the host is connected or not.
    func speak() {
        guard !isShownOut else { return }
        for index in sessions.indices { say(.message(.assistant, summary: world.name("message ")), index) }
    }

    private func connect() { if socket == nil { socket = world.connect(.host(index)) } }

    private func work() {
        world.after(world.dice.within(20...1_500)) { [self] world in
            guard !world.isCalm, !isShownOut else { return }
            let index = world.dice.below(sessions.count)
            if world.dice.chance(0.15) {
                ask(index)
            } else {
                for _ in 0..<1 + world.dice.below(4) { say(.message(.assistant, summary: world.name("message ")), index) }
            }
            work()
        }
    }

    private func ask(_ index: Int) {
        let approval = ApprovalID(world.name("ask-"))!
        let digest = InputDigest(String(repeating: "a", count: 64))!
        asks[approval] = .open(digest)
        say(
            .approvalRequested(ApprovalRequest(approval: approval, kind: .tool, tool: "Bash", title: "make", digest: digest)),
            index)
    }

    private func say(_ head: EventHead, _ index: Int) {
        sessions[index].events.append(Event(head, at: World.wallAtStart + world.now))
        send(index)
    }

    private func send(_ index: Int) {
        guard isGreeted, let socket else { return }
        while let next = sessions[index].next, next <= sessions[index].events.count {
            let events = Array(sessions[index].events[Int(next - 1)...].prefix(Self.batchMax))
            sessions[index].next = next + Int64(events.count)
            world.sendToNode(
                HostMessage.events(HostEvents(session: sessions[index].id, first: next, events: events)).bytes, on: socket)
        }
    }

    // MARK: The connection

    func opened(_ socket: ClusterSocket) {
        guard self.socket === socket else { return world.peerCloses(socket) }
        connections += 1
        let hello = Hello(
            software: "simulated", sessions: sessions.map(\.id), attempt: world.settings.hasAttempts ? connections : nil,
            key: world.letters == nil ? nil : key)
        world.sendToNode(HostMessage.hello(hello).bytes, on: socket)
    }

    func closed(_ socket: ClusterSocket, _ end: (code: UInt16, reason: String)?) {
        guard self.socket === socket else { return }
        self.socket = nil
        isGreeted = false
        for index in sessions.indices { sessions[index].next = nil }
        attempts += 1
        if end?.code == CloseCode.revoked.rawValue {
            isShownOut = true
            return world.wasShownOut(name, of: identity.workspace)
        }
        if end?.code == CloseCode.replaced.rawValue {
            timesReplaced += 1
            world.trace.note(world.now, name, "is replaced")
            if world.settings.hasAttempts { world.report(.replaced, "\(name) lives, and is told that another speaks for it") }
        }
        let named = end.flatMap { CloseCode.wait($0.code, $0.reason) }
        world.after(named ?? world.dice.within(50...min(200 << min(attempts, 4), ClusterSocket.retryMax))) { [self] _ in
            connect()
        }
    }

    func received(_ bytes: [UInt8], on socket: ClusterSocket) {
        guard self.socket === socket else { return }
        let message: MessageToHost
        do throws(WireError) { message = try MessageToHost(parsing: bytes) } catch {
            return world.report(.delivery, "\(name) gets what is no host's: \(error)")
        }
        switch message {
        case .welcome(let welcome, let host, let progress):
            if !world.history(of: identity.workspace).knows(welcome.epoch) {
                world.report(.wall, "\(name) is welcomed to \(welcome.epoch), which is none of its workspace's")
            }
            if host.id != identity.host.id { world.report(.delivery, "\(name) is welcomed as \(host.id)") }
            isGreeted = true
            attempts = 0
            for entry in progress {
                set(entry.session) {
                    $0.acknowledged = entry.through; $0.next = entry.through + 1
                }
            }
            for index in sessions.indices { send(index) }
        case .ack(let acks): for ack in acks { set(ack.session) { $0.acknowledged = max($0.acknowledged, ack.through) } }
        case .resend(let session, let from):
            set(session) { $0.next = from }
            for index in sessions.indices { send(index) }
        case .decision(let session, let approval, let digest, let decision): decided(session, approval, digest, decision)
        case .letter(let letter, let client):
            world.letters?.reached(identity, key, as: .host(index), letter, from: client)
            answer(client.id, on: socket)
        default: break
        }
    }

    private func answer(_ client: ClientID, on socket: ClusterSocket) {
        let client = ClientKey(workspace: identity.workspace, client: client)
        guard let answer = world.letters?.answer(of: key, to: client) else { return }
        world.sendToNode(HostMessage.letter(answer, to: client.client).bytes, on: socket)
    }

    private func set(_ session: SessionID, _ change: (inout Session) -> Void) {
        if let index = sessions.firstIndex(where: { $0.id == session }) { change(&sessions[index]) }
    }

    private func decided(_ session: SessionID, _ approval: ApprovalID, _ digest: InputDigest, _ decision: Decision) {
        guard let index = sessions.firstIndex(where: { $0.id == session }), let ask = asks[approval] else {
            return world.report(.delivery, "\(name) gets a decision of \(approval), which it never asked")
        }
        switch ask {
        case .open(let own):
            guard own == digest else { return world.report(.decision, "\(approval) is decided with another's digest") }
            asks[approval] = .applied(decision.command)
            say(.approvalDelivered(approval), index)
            say(.approvalApplied(approval, outcome: decision.verdict.deed == .allow ? .ran : .denied), index)
        case .applied(let command):
            // A decision that was lost with a database's tail may be made again.
            if command != decision.command, !world.losesTails {
                world.report(.decision, "\(approval) was applied by \(command), and is decided by \(decision.command)")
            }
        }
    }
}
