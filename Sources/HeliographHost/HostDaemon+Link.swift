internal import HostCore
internal import Logging
internal import RelayAccess
internal import RelayProtocol
internal import WebSocketEngine

/// The WebSocket to the relay: carries out what the machine orders.
extension HostDaemon: ClientHandler {
    func opened(_ connection: ConnectionID, subprotocol: String?) {
        guard subprotocol == ProtocolVersion.subprotocol else {
            logger.error("what answered does not speak our protocol")
            loop.close(connection, code: CloseCode.protocolError.rawValue, reason: "not \(ProtocolVersion.subprotocol)")
            return
        }
        drive(.opened)
    }

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        guard connection == self.connection else { return }
        do throws(WireError) {
            drive(.received(try MessageToHost(parsing: message.bytes)))
        } catch {
            // A newer relay may say more than we know; nothing of ours depends on it.
            logger.warning("a message of the relay was not understood", metadata: ["code": "\(error.code.rawValue)"])
        }
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        guard connection == self.connection else { return }
        self.connection = nil
        if let timer = welcomeTimer { loop.cancel(timer) }
        welcomeTimer = nil
        guard !isEnding else {
            linkEnded()
            return
        }
        drive(.closed(LinkEnd(reason), dice: .random(in: 0...1)))
    }

    func drive(_ input: LinkMachine.Input) {
        hasNews = true
        let active = adapter.sessionsInOrder.filter { !$0.isEnded }.map(\.id)
        for effect in link.handle(input, index: spool.index, active: active, at: .now) { carryOut(effect) }
    }

    private func carryOut(_ effect: LinkMachine.Effect) {
        switch effect {
        case .connect: connect()
        case .send(let bytes): if let connection { loop.send(OutgoingMessage(text: bytes), to: connection) }
        case .close(let code): if let connection { loop.close(connection, code: code, reason: "no welcome came") }
        case .retryAfter(let wait): loop.schedule(after: wait) { [unowned self] in drive(.retry) }
        case .expectWelcome(let within):
            welcomeTimer = loop.schedule(after: within) { [unowned self] in drive(.welcomeOverdue) }
        case .resendAfter(let wait): loop.schedule(after: wait) { [unowned self] in drive(.resendDue) }
        case .acknowledge(let session, let through): spool.acknowledge(session, through: through)
        case .drop(let session, let seq): spool.drop(session, seq: seq)
        case .decide(let session, let approval, let digest, let decision):
            logger.info(
                "a decision came",
                metadata: ["session.id": "\(session)", "approval.id": "\(approval)", "command.id": "\(decision.command)"])
            tell(.decided(session, approval, digest, decision))
        case .linkChanged(let isLive):
            if isLive, let timer = welcomeTimer { loop.cancel(timer) }
            tell(.linkChanged(isLive: isLive))
        case .log(let entry): log(entry)
        }
    }

    private func connect() {
        var settings = ClientConfiguration(
            configuration.relay, path: ProtocolVersion.hostPath, token: configuration.token,
            certificateAuthorityFile: configuration.certificateAuthorityFile)
        if let heartbeat = link.heartbeat { settings.follow(heartbeat) }
        do {
            connection = try loop.connect(settings, handler: self)
        } catch {
            drive(.closed(.failed(error.message), dice: 1))
        }
    }

    // MARK: Sending

    /// All that was added leaves together, after it is on disk.
    func flush() {
        guard let connection, link.isLive else { return }
        while let batch = link.nextBatch(spool.index) {
            do {
                try spool.synchronize()
            } catch {
                // Nothing is wrong with the events: they go when the disk has them, on the next connection.
                logger.error("the spool is not on disk", metadata: ["error": "\(error)"])
                loop.close(connection, code: CloseCode.goingAway.rawValue, reason: "the spool's disk fails")
                return
            }
            do {
                let events = try spool.read(batch).map { bytes throws in try Event(stored: bytes) }
                let message = HostMessage.events(
                    HostEvents(session: batch.session, first: batch.first, isAfterGap: batch.isAfterGap, events: events))
                loop.send(OutgoingMessage(text: message.bytes), to: connection)
            } catch {
                // What cannot be read will not be readable later: a gap, and the rest goes on.
                logger.error(
                    "spooled events could not be read",
                    metadata: ["session.id": "\(batch.session)", "first": "\(batch.first)", "error": "\(error)"])
                for entry in batch.entries { spool.drop(batch.session, seq: entry.seq) }
                loop.close(connection, code: CloseCode.goingAway.rawValue, reason: "the spool is damaged")
                return
            }
        }
    }

    /// Live only: what the relay does not take now is lost, and the whole message follows.
    func stream(_ delta: Delta) {
        guard let connection, link.isLive, loop.outboxBytes(of: connection) < Self.streamBacklogMax else { return }
        loop.send(OutgoingMessage(text: HostMessage.deltas(delta).bytes), to: connection)
    }

    private func log(_ entry: LinkLog) {
        switch entry {
        case .connected(let relay): logger.info("connected", metadata: ["relay.software": "\(relay)"])
        case .disconnected(.refused(let status), let wait) where status == 401 || status == 403:
            logger.error(
                "the relay does not know this host: pair it again with heliograph host LINK",
                metadata: ["status": "\(status)", "retry": "\(wait)"])
        case .disconnected(let reason, let wait):
            logger.warning("no connection to the relay", metadata: ["reason": "\(reason)", "retry": "\(wait)"])
        case .replaced:
            logger.error("another process connected with this host's token: this one stays away until it is started again")
        case .notice(let code): logger.warning("the relay says", metadata: ["code": "\(code.prefix(64))"])
        case .dropped(let session, let code):
            logger.error(
                "the relay will not take an event; it is gone",
                metadata: ["session.id": "\(session)", "code": "\(code.prefix(64))"])
        }
    }
}
