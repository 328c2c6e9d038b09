import PushPlanner
import RelayModel
import RelayProtocol

/// Clients' requests, which are passed to the parts that handle them.
extension Relay {
    mutating func clientConnected(_ peer: PeerID, _ identity: ClientIdentity, hasSaidHello: Bool = false) {
        presence.clientConnected(peer, identity, hasSaidHello: hasSaidHello)
        subscriptions.connected(peer, of: ClientKey(workspace: identity.workspace.id, client: identity.client.id))
        commands.connected(peer)
    }

    mutating func clientSent(_ message: ClientMessage, by peer: PeerID, at now: Instant) {
        guard let client = presence.clients[peer], !client.isShownOut else { return }
        planner.heard(peer, at: now)
        switch message {
        case .hello(let hello):
            presence.clientSaidHello(hello, peer, welcome(to: client.workspace), &orders)
            // A command peer has no connection on which it could receive letters.
            if presence.clients[peer]?.hasSaidHello == true, client.identity.scope.allows(.decide), !peer.isCommandPeer {
                letters.clientSaidHello(client.key, peer)
            }
        case .command(let id, _) where !client.hasSaidHello:
            orders.reply(.failed(.helloFirst, Notice.helloFirst.message), to: id, of: peer)
        case .command(let id, let command): run(command, id, of: client, peer, at: now)
        }
    }

    mutating func refuse(_ error: ClientMessageError, of peer: PeerID) {
        if let command = error.command {
            orders.reply(.failed(Notice(error.error), winner: nil), to: command, of: peer)
        } else {
            orders.send(.notice(Notice(error.error)), to: [peer])
        }
    }

    mutating func disconnected(_ peer: PeerID, at now: Instant) {
        budgets.hostLeft(peer)
        removed.left(peer)
        if let host = presence.hostLeft(peer) {
            letters.hostLeft(host.key)
            screensLeft(with: host.key)
            setConnected(false, host, at: now)
        }
        if let client = presence.clients[peer] { letters.clientLeft(client.key, peer) }
        guard presence.clientLeft(peer) else { return }
        commands.left(peer)
        screens.clientLeft(peer)
        sweep.left(peer)
        subscriptions.left(peer, &orders)
        tellPlanner(.clientLeft(peer), at: now)
    }

    /// Runs a command, whether it came over a connection, by HTTP, or with the code of a push.
    mutating func run(
        _ command: ClientCommand, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        guard client.identity.scope.allows(command.scope) else {
            return orders.reply(.failed(.forbidden, "this device may not do that"), to: id, of: peer)
        }
        switch command {
        case .subscribe(nil, _):
            subscriptions.watchWorkspace(peer, id, &orders)
            tellFullness(of: client.workspace, to: peer, at: now)
        case .subscribe(let session?, let position):
            subscriptions.subscribe(to: session, after: position, peer, id, seeing: shown, &orders)
        case .olderSessions: subscriptions.sendOlderSessions(peer, id, seeing: shown, &orders)
        case .unsubscribe(let session): subscriptions.unsubscribe(from: session, peer, id, &orders)
        case .history(let session, let before, let limit):
            subscriptions.history(of: session, before: before, limit: limit, peer, id, seeing: shown, &orders)
        case .decide(let decide): self.decide(decide, id, of: client.identity, peer, at: now)
        case .steer(let session, let action, let signature):
            let request = SteeringRequest(
                command: id, session: session, by: client.identity.client, action: action, signature: signature)
            steer(request, of: client, peer, at: now)
        case .withdraw(let session, let name): withdraw(name, session, id, of: client, peer)
        case .ping: orders.reply(.done, to: id, of: peer)
        // A device cannot pair others with more rights than its own.
        case .pair(let role) where role.isClient && !client.identity.scope.allows(Scope(of: role)):
            orders.reply(.failed(.forbidden, "this device may not do what such a one may"), to: id, of: peer)
        case .pair(let role): orders.add(.makePairingCode(peer, id, role, client.workspace))
        case .presence, .seen, .device, .deviceChoices, .card, .forget, .devices, .testPush:
            askPlanner(command, id, of: client, peer, at: now)
        case .budget(let budget): setBudget(budget, id, of: client, peer)
        case .budgets: listBudgets(id, of: client, peer)
        case .costs(let query):
            orders.reply(.costs(costs.report(on: query, in: client.workspace, at: now)), to: id, of: peer)
        case .remove(let session): remove(session, id, of: client, peer)
        case .letter(let letter, .host(let key)): send(letter, to: key, id, of: client, peer, at: now)
        case .letter(let letter, .client(let other)): send(letter, to: other, id, of: client, peer, at: now)
        case .screen(let session, let wish, let signature):
            ask(wish, of: session, signature: signature, id, by: client, peer, at: now)
        }
    }

    // MARK: - Decisions

    private mutating func decide(
        _ decide: DecideCommand, _ command: CommandID, of client: ClientIdentity, _ peer: PeerID, at now: Instant
    ) {
        let key = SessionKey(workspace: client.workspace.id, session: decide.session)
        let waiter = DecisionWaiter(
            peer: peer, command: command, key: key, approval: decide.approval, verdict: decide.verdict)
        let deciding = sessions.decide(
            decide, command, in: key, by: client, hasRoom: commands.hasRoom(for: peer), at: now, aged: ages.time(at: now),
            &staging, &orders)
        switch deciding {
        case .refused(let refusal): orders.reply(refusal, to: command, of: peer)
        case .isLate:
            subscriptions.readApproval(of: key, for: .init(peer: peer, command: command, decide: decide), &orders)
        case .isStaged: commands.wait(waiter)
        // Only this one is checked: the others that wait may be thousands.
        case .wasDecided: if Self.isReady(waiter, in: sessions) { answer(waiter) } else { commands.wait(waiter) }
        }
    }

    mutating func approvalRead(_ id: ReadID, _ approval: Approval?) {
        guard let late = subscriptions.approvalRead(id, &orders) else { return }
        orders.reply(late.decide.reply(from: approval), to: late.command, of: late.peer)
        subscriptions.resumePaused(late.peer, seeing: shown, &orders)
    }

    /// Answers every command whose decision is on disk by now.
    mutating func answerDecisions() {
        guard commands.hasDecisions else { return }
        let sessions = sessions
        for waiter in commands.takeDecisions(where: { Self.isReady($0, in: sessions) }) { answer(waiter) }
    }

    /// True if the decision that this command waits for is on disk, or was withdrawn.
    private static func isReady(_ waiter: DecisionWaiter, in sessions: Sessions) -> Bool {
        guard let committed = sessions.shown[waiter.key]?.approvals[waiter.approval] else {
            return sessions.staged(waiter.key)?.approvals[waiter.approval] == nil
        }
        return committed.decision != nil
    }

    private mutating func answer(_ waiter: DecisionWaiter) {
        // So many other approvals were resolved meanwhile that this one may be on disk only.
        var answer = Reply.failed(.unavailable, "ask again: it is being put away")
        if let approval = shown[waiter.key]?.approvals[waiter.approval], let winner = approval.decision {
            answer = winner.reply(to: waiter.verdict, at: approval.stage.word)
        }
        orders.reply(answer, to: waiter.command, of: waiter.peer)
    }

    /// Answers every command whose decision was undone because the commit failed.
    mutating func refuseDecisions(_ reason: String) {
        guard commands.hasDecisions else { return }
        let sessions = sessions
        let lost = commands.takeDecisions { sessions.staged($0.key)?.approvals[$0.approval]?.decision == nil }
        for waiter in lost { orders.reply(.failed(.unavailable, reason), to: waiter.command, of: waiter.peer) }
    }

    // MARK: - Steering

    /// Passes a command to the host of a session, after it is on disk: the command is an event of the session before it takes
    /// effect.
    mutating func steer(
        _ request: SteeringRequest, of client: ClientPeer, _ peer: PeerID, at now: Instant, picturesAreThere: Bool = false
    ) {
        let id = request.command
        let name = CommandKey(client.key, id)
        if let known = commands.reply(to: name, for: request) { return orders.reply(known, to: id, of: peer) }
        let key = SessionKey(workspace: client.workspace, session: request.session)
        guard let view = shown[key] else { return orders.reply(.noSuchSession, to: id, of: peer) }
        let host = HostKey(workspace: client.workspace, host: view.hostID)
        guard presence.speakers[host] != nil else {
            return orders.reply(.failed(.unavailable, "this session's host is not there"), to: id, of: peer)
        }
        guard presence.takes(.steer, host) else {
            return orders.reply(.failed(.unsupported, "this session's host takes nothing from clients"), to: id, of: peer)
        }
        if let refusal = view.refusal(of: request.action) { return orders.reply(refusal, to: id, of: peer) }
        guard let staged = sessions.staged(key), staged.openSteering.count < WireLimits.steeringOpenMax else {
            return orders.reply(
                .failed(.tooMany, "too much that was sent to this session has had no outcome"), to: id, of: peer)
        }
        if !request.action.pictures.isEmpty, !picturesAreThere { return findPictures(of: request, in: key, peer) }
        guard let record = commands.asked(request, name, of: peer, to: host, at: ages.time(at: now), &orders) else { return }
        staging.commands.append(record)
        let call = SteeringCall(request, consent: view.steering?.consent)
        let event = Event(.steeringRequested(call), at: now.wall) {
            request.action.writeBody(to: &$0, isSigned: call.signature != nil)
        }
        sessions.stage(event, in: key, at: now, aged: ages.time(at: now), &staging, &orders)
    }

    /// Records that a command could not be sent, because the host disconnected while it was recorded.
    mutating func refuseUnsent(_ request: SteeringRequest, in key: SessionKey, at now: Instant) {
        guard sessions.has(key) else { return }
        let change = SteeringChange(request.name, .refused, reason: "its host had just gone")
        sessions.stage(
            Event(.steeringChanged(change), at: now.wall), in: key, at: now, aged: ages.time(at: now), &staging, &orders)
    }

    /// Needs no record: withdrawing a prompt twice has no further effect.
    private mutating func withdraw(
        _ name: SteeringName, _ session: SessionID, _ id: CommandID, of client: ClientPeer, _ peer: PeerID
    ) {
        let key = SessionKey(workspace: client.workspace, session: session)
        guard let view = shown[key] else { return orders.reply(.noSuchSession, to: id, of: peer) }
        guard view.openSteering.contains(name) else {
            return orders.reply(.failed(.closed, "it waits no more"), to: id, of: peer)
        }
        guard let host = presence.speakers[HostKey(workspace: client.workspace, host: view.hostID)] else {
            return orders.reply(.failed(.unavailable, "this session's host is not there"), to: id, of: peer)
        }
        orders.send(.withdraw(session, name), toHost: host)
        orders.reply(.forwarded(.sent), to: id, of: peer)
    }
}

extension SessionView {
    /// The refusal if the host cannot carry out this action; nil if it may.
    fileprivate func refusal(of action: SteeringAction) -> Reply? {
        guard endedAt == nil else { return .failed(.closed, "this session has ended") }
        guard let offer = steering, offer.actions.contains(action.kind) else {
            let why = steering?.reason.map { ": \($0)" } ?? ""
            return .failed(.unsupported, "this session does not take \(action.kind.rawValue)\(why)")
        }
        switch action {
        case .prompt(let prompt):
            guard !prompt.isCommand || offer.commands.contains(prompt.command) else {
                return .failed(.unsupported, "the agent offers no such command")
            }
            if let why = offer.refusal(ofPicturesOf: prompt) { return .failed(.unsupported, why) }
            guard prompt.whenBusy != .steer || offer.steersWhileBusy else {
                return .failed(.unsupported, "this agent takes no prompt while it works")
            }
        case .mode(let mode) where !offer.modes.contains(mode): return .failed(.unsupported, "that mode is not offered")
        case .model(let model) where !offer.models.isEmpty && !offer.models.contains(model):
            return .failed(.unsupported, "that model is not offered")
        case .launch(let launch): if let why = offer.refusal(of: launch) { return .failed(.unsupported, why) }
        case .mode, .model, .askAll, .interrupt, .stop, .ruleOff, .ruleAdd, .ruleChange, .ruleTry: break
        }
        return nil
    }
}
