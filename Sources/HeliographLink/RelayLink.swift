package import RelayProtocol

/// Keeps one client connected to its relay over any number of connections: sends `hello`, subscribes, continues from its last
/// position, and repeats a command with the same id until it is answered. Pure: time and randomness are arguments.
package struct RelayLink: Sendable {
    package enum Order: Sendable {
        case connect
        case send([UInt8])
        case retry(after: Duration)
        case tell(News)
    }

    /// News for the command that uses this link.
    package enum News: Sendable {
        /// `again`: true if the link was up before.
        case up(again: Bool)
        case down(String, retryIn: Duration)
        case over(LinkError)
        case changed(ClientView.Change)
        /// After `up(again: true)`: everything that happened while the link was down has been reported.
        case caughtUp(events: Int)
        case replied(CommandID, Reply)
        /// A session cannot be followed.
        case notFollowed(SessionID, Notice)
        case notice(Notice)
        /// The outcome of a push, as JSON, if the command asked to watch devices.
        case push([UInt8])
        /// A letter; the sender is as the relay reports it.
        case letter(Letter, from: LetterPeer)
    }

    /// Sessions followed at the same time. Beyond it, the one without activity for longest is dropped, and followed again on its
    /// next activity.
    package static let followedMax = 256
    /// Events from which on a new session is followed near its end only.
    package static let pastEventsMax: Int64 = 200

    package private(set) var view = ClientView()
    package var phase: ReconnectMachine.State { reconnect.state }
    /// This client's identifier at the relay.
    package private(set) var client: ClientID?
    /// The heartbeat that the relay announced; the next connection uses it too.
    package private(set) var heartbeat: Heartbeat?
    package private(set) var followed: [SessionID] = []
    /// If true, every session is followed from its next activity on.
    package var followsAll = false

    private let software: String
    private let idPrefix: String
    private var idsMade = 0
    private var unanswered: [(id: CommandID, command: ClientCommand)] = []
    /// Pending subscribe commands of this connection.
    private var subscriptions: [CommandID: SessionID?] = [:]
    private var reconnect = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0.5, refused: nil))
    private var wasUp = false
    private var isWorkspaceCurrent = false
    private var caughtUpEvents: Int?

    /// `idPrefix`: at most 40 characters of an identifier, random, as ids must never repeat.
    package init(software: String, idPrefix: String) {
        self.software = software
        self.idPrefix = idPrefix
    }

    // MARK: - Facts of the connection

    package mutating func started() -> [Order] {
        precondition(phase == .idle, "a link starts once")
        return reconnect.begin() ? [.connect] : []
    }

    package mutating func opened() -> [Order] {
        reconnect.opened()
        return [.send(ClientMessage.hello(Hello(software: software)).bytes)]
    }

    /// `opening`: decrypts a message with sealed content, into any number of messages.
    package mutating func received(
        _ bytes: [UInt8], opening: (MessageToClient) -> [MessageToClient] = { [$0] }
    ) -> [Order] {
        let message: MessageToClient
        do { message = try MessageToClient(parsing: bytes) } catch {
            // A newer relay may send messages that this version does not know.
            if error.code == .unknownType { return [] }
            return [.tell(.notice(Notice(error)))]
        }
        return opening(message).flatMap { received($0) }
    }

    private mutating func received(_ message: MessageToClient) -> [Order] {
        switch (phase, message) {
        case (.greeting, .welcome(let welcome, let client, _, _)):
            self.client = client.id
            return welcomed(welcome, message)
        case (_, .notice(let notice)): return [.tell(.notice(notice))]
        case (.up, .reply(let id, let reply)): return replied(id, reply)
        case (.up, .push(let push)): return [.tell(.push(push))]
        case (.up, .letter(let letter, let peer)): return [.tell(.letter(letter, from: peer))]
        case (.up, _): return changed(by: message)
        default: return []
        }
    }

    package mutating func closed(_ reason: LinkEnd, jitter: Double) -> [Order] {
        guard phase != .over else { return [] }
        subscriptions = [:]
        isWorkspaceCurrent = false
        caughtUpEvents = nil
        switch reconnect.closed(reason, jitter: jitter) {
        case .over(let fault): return [.tell(.over(fault))]
        case .retry(let wait): return [.tell(.down(reason.sentence, retryIn: wait)), .retry(after: wait)]
        }
    }

    package mutating func retryDue() -> [Order] {
        phase == .waiting && reconnect.begin() ? [.connect] : []
    }

    // MARK: - Wishes of the command

    package mutating func submit(_ command: ClientCommand) -> (CommandID, [Order]) { submit { _ in command } }

    /// Submits a command whose content includes its own id. If `make` throws, nothing is sent.
    package mutating func submit<Fault: Error>(
        _ make: (CommandID) throws(Fault) -> ClientCommand
    ) throws(Fault) -> (CommandID, [Order]) {
        let id = makeID()
        let command = try make(id)
        unanswered.append((id, command))
        return (id, phase == .up ? [.send(ClientMessage.command(id, command).bytes)] : [])
    }

    /// The command is no longer needed, and is not sent again.
    package mutating func withdraw(_ id: CommandID) { unanswered.removeAll { $0.id == id } }

    package mutating func unfollow(_ session: SessionID) -> [Order] {
        guard followed.contains(session) else { return [] }
        followed.removeAll { $0 == session }
        view.unfollow(session)
        guard phase == .up else { return [] }
        return [.send(ClientMessage.command(makeID(), .unsubscribe(session)).bytes)]
    }

    /// Follows a session after this position; nil: from a snapshot of the last events.
    package mutating func follow(_ session: SessionID, after position: Position?) -> [Order] {
        view.follow(session, after: position)
        guard !followed.contains(session) else { return phase == .up ? [subscribe(session)] : [] }
        var orders: [Order] = []
        if followed.count >= Self.followedMax { orders += unfollowQuietest() }
        followed.append(session)
        if phase == .up { orders.append(subscribe(session)) }
        return orders
    }

    // MARK: - Messages

    private mutating func welcomed(_ welcome: Welcome, _ message: MessageToClient) -> [Order] {
        reconnect.welcomed()
        heartbeat = welcome.heartbeat
        let changes = view.reduce(message)
        if followsAll, !changes.isEmpty {
            // The log has another epoch: activity in the old one is no reason to read the new one's past.
            for session in followed { view.unfollow(session) }
            followed = []
        }
        var orders: [Order] = [.tell(.up(again: wasUp))] + changes.map { .tell(.changed($0)) }
        caughtUpEvents = wasUp ? 0 : nil
        wasUp = true
        orders.append(subscribe(nil))
        for session in followed { orders.append(subscribe(session)) }
        for entry in unanswered { orders.append(.send(ClientMessage.command(entry.id, entry.command).bytes)) }
        return orders
    }

    private mutating func changed(by message: MessageToClient) -> [Order] {
        let changes = view.reduce(message)
        switch message {
        case .workspaceSnapshot:
            reconnect.proven()
            isWorkspaceCurrent = !view.awaitsPages
        case .snapshotEnd: isWorkspaceCurrent = true
        default: break
        }
        var orders: [Order] = []
        for change in changes {
            if case .resubscribe(let session, _) = change {
                orders.append(subscribe(session))
                continue
            }
            if case .unusable(let session) = change {
                followed.removeAll { $0 == session }
                let notice = Notice(code: WireError.Code.badValue.rawValue, message: "the relay sent a broken snapshot")
                orders.append(.tell(.notFollowed(session, notice)))
                continue
            }
            if case .events(let run, _) = change, let count = caughtUpEvents { caughtUpEvents = count + run.events.count }
            orders.append(.tell(.changed(change)))
            if followsAll, case .session(let summary, let previous) = change {
                orders += followIfMoved(summary, since: previous)
            }
        }
        return orders + tellIfCaughtUp()
    }

    private mutating func replied(_ id: CommandID, _ reply: Reply) -> [Order] {
        if let session = subscriptions.removeValue(forKey: id) {
            guard case .failed(let notice, _) = reply else { return [] }
            guard let session else { return [.tell(.notice(notice))] }
            followed.removeAll { $0 == session }
            view.unfollow(session)
            return [.tell(.notFollowed(session, notice))] + tellIfCaughtUp()
        }
        guard let index = unanswered.firstIndex(where: { $0.id == id }) else { return [] }
        unanswered.remove(at: index)
        return [.tell(.replied(id, reply))]
    }

    private mutating func followIfMoved(_ summary: Summary, since previous: Summary?) -> [Order] {
        guard let epoch = view.epoch, !followed.contains(summary.session) else { return [] }
        let known = previous?.seq ?? 0
        guard summary.seq > known else { return [] }
        let from = max(known, summary.seq - Self.pastEventsMax)
        return follow(summary.session, after: Position(epoch: epoch, seq: from))
    }

    private mutating func unfollowQuietest() -> [Order] {
        guard
            let quietest = followed.min(by: {
                (view.sessions[$0]?.lastActivityAt ?? 0) < (view.sessions[$1]?.lastActivityAt ?? 0)
            })
        else { return [] }
        return unfollow(quietest)
    }

    /// Reports `caughtUp` once every followed log has reached the number in its summary.
    private mutating func tellIfCaughtUp() -> [Order] {
        guard let count = caughtUpEvents, isWorkspaceCurrent else { return [] }
        let isBehind = followed.contains { session in
            guard let summary = view.sessions[session] else { return false }
            guard let log = view.logs[session] else { return true }
            return log.position.seq < summary.seq
        }
        if isBehind { return [] }
        caughtUpEvents = nil
        return [.tell(.caughtUp(events: count))]
    }

    // MARK: - Helpers

    private mutating func subscribe(_ session: SessionID?) -> Order {
        let id = makeID()
        subscriptions[id] = .some(session)
        let position = session.flatMap { view.logs[$0]?.position }
        return .send(ClientMessage.command(id, .subscribe(session, after: position)).bytes)
    }

    private mutating func makeID() -> CommandID {
        idsMade += 1
        guard let id = CommandID("\(idPrefix)-\(idsMade)") else { preconditionFailure("the prefix is no identifier") }
        return id
    }
}
