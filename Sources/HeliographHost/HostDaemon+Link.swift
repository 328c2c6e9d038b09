internal import AgentClaude
internal import HeliographLink
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
        case .drop(let session, let seq):
            spool.drop(session, seq: seq)
            // A question that nobody will see is not waited for.
            let lost = asked.first { $0.value == (session, seq) }.flatMap { ApprovalID($0.key) }
            if let lost { tell(.notRecorded(lost)) }
        case .decide(let session, let approval, let digest, let decision):
            logger.info(
                "a decision came",
                metadata: ["session.id": "\(session)", "approval.id": "\(approval)", "command.id": "\(decision.command)"])
            tell(.decided(session, approval, digest, decision))
        case .hold(let holds): hold(holds)
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
        do throws(SpoolError) {
            try spool.synchronize()
            while let question = link.nextQuestion(spool.index) { loop.send(OutgoingMessage(text: question), to: connection) }
            while let batch = link.nextBatch(spool.index) {
                guard let events = try read(batch) else {
                    // Without it, from the first that is not acknowledged.
                    drive(.sendAgain)
                    return
                }
                let message = HostMessage.events(
                    HostEvents(session: batch.session, first: batch.first, isAfterGap: batch.isAfterGap, events: events))
                loop.send(OutgoingMessage(text: message.bytes), to: connection)
            }
        } catch {
            // Nothing of it is lost: it goes when the disk is back.
            logger.error("spooled events cannot be sent now", metadata: ["error": "\(error)"])
            armDiskRetry()
        }
    }

    /// Nil where one of them was damaged: that one is a gap now.
    private func read(_ batch: SpoolIndex.Batch) throws(SpoolError) -> [Event]? {
        let stored: [[UInt8]]
        do throws(SpoolError) {
            stored = try spool.read(batch)
        } catch {
            guard error.code == .damaged else { throw error }
            logger.error(
                "a spooled event is damaged; it is gone",
                metadata: ["session.id": "\(batch.session)", "first": "\(batch.first)", "error": "\(error)"])
            return nil
        }
        var events: [Event] = []
        for (entry, bytes) in zip(batch.entries, stored) {
            guard let event = try? Event(stored: bytes) else {
                logger.error("a spooled event is none; it is gone", metadata: ["session.id": "\(batch.session)"])
                spool.drop(batch.session, seq: entry.seq)
                return nil
            }
            events.append(event)
        }
        return events
    }

    /// Live only: what the relay does not take now is lost, and the whole message follows.
    func stream(_ delta: Delta) {
        guard let connection, link.isLive, loop.outboxBytes(of: connection) < Self.streamBacklogMax else { return }
        loop.send(OutgoingMessage(text: HostMessage.deltas(delta).bytes), to: connection)
    }

    private func log(_ entry: LinkLog) {
        switch entry {
        case .connected(let relay): logger.info("connected", metadata: ["relay.software": "\(relay)"])
        case .disconnected(.refused(let status, _), let wait) where status == 401 || status == 403:
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
