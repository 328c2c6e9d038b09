import PushPlanner
import RelayModel
import RelayProtocol

/// What clients ask for, and which part is asked.
extension Relay {
    mutating func clientConnected(_ peer: PeerID, _ identity: ClientIdentity, hasSaidHello: Bool = false) {
        presence.clientConnected(peer, identity, hasSaidHello: hasSaidHello)
        subscriptions.connected(peer, of: identity.workspace.id)
        commands.connected(peer)
    }

    mutating func clientSent(_ message: ClientMessage, by peer: PeerID, at now: Instant) {
        guard let client = presence.clients[peer], !client.isShownOut else { return }
        planner.heard(peer, at: now)
        switch message {
        case .hello(let hello): presence.clientSaidHello(hello, peer, welcome, &orders)
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
        if let host = presence.hostLeft(peer) { setConnected(false, host, at: now) }
        guard presence.clientLeft(peer) else { return }
        commands.left(peer)
        subscriptions.left(peer, &orders)
        tellPlanner(.clientLeft(peer), at: now)
    }

    /// Whoever commands comes this way: over a connection, over HTTP, or by the code of a push.
    mutating func run(
        _ command: ClientCommand, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        guard client.identity.scope.isSuperset(of: command.scope) else {
            return orders.reply(.failed(.forbidden, "this device may not do that"), to: id, of: peer)
        }
        switch command {
        case .subscribe(nil, _): subscriptions.watchWorkspace(peer, id, &orders)
        case .subscribe(let session?, let position):
            subscriptions.subscribe(to: session, after: position, peer, id, seeing: shown, &orders)
        case .unsubscribe(let session): subscriptions.unsubscribe(from: session, peer, id, &orders)
        case .history(let session, let before, let limit):
            subscriptions.history(of: session, before: before, limit: limit, peer, id, seeing: shown, &orders)
        case .decide(let decide): self.decide(decide, id, of: client.identity, peer, at: now)
        case .prompt(let session, let text):
            forward(.prompt(id, session, text: text), needing: .prompt, to: session, id, of: client, peer, at: now)
        case .interrupt(let session):
            forward(.interrupt(id, session), needing: .interrupt, to: session, id, of: client, peer, at: now)
        case .ping: orders.reply(.done, to: id, of: peer)
        case .pair(let role): orders.add(.makePairingCode(peer, id, role, client.workspace))
        case .presence, .seen, .device, .card, .forget, .devices, .testPush:
            askPlanner(command, id, of: client, peer, at: now)
        case .budget(let budget): setBudget(budget, id, of: client, peer)
        case .budgets: listBudgets(id, of: client, peer)
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
        case .wasDecided:
            commands.wait(waiter)
            answerDecisions()
        }
    }

    mutating func approvalRead(_ id: ReadID, _ approval: Approval?) {
        guard let late = subscriptions.approvalRead(id) else { return }
        orders.reply(late.decide.reply(from: approval), to: late.command, of: late.peer)
        subscriptions.resumeHeld(late.peer, seeing: shown, &orders)
    }

    /// Answers every command whose decision is on disk by now.
    mutating func answerDecisions() {
        guard commands.hasDecisions else { return }
        let sessions = sessions
        let ready = commands.takeDecisions { waiter in
            guard let committed = sessions.shown[waiter.key]?.approvals[waiter.approval] else {
                return sessions.staged(waiter.key)?.approvals[waiter.approval] == nil
            }
            return committed.decision != nil
        }
        for waiter in ready {
            // So many others were resolved meanwhile that it may only be on disk by now.
            var answer = Reply.failed(.unavailable, "ask again: it is being put away")
            if let approval = shown[waiter.key]?.approvals[waiter.approval], let winner = approval.decision {
                answer = winner.reply(to: waiter.verdict, at: approval.stage)
            }
            orders.reply(answer, to: waiter.command, of: waiter.peer)
        }
    }

    /// Answers every command whose decision was taken back because the disk did not take it.
    mutating func refuseDecisions(_ reason: String) {
        guard commands.hasDecisions else { return }
        let sessions = sessions
        let lost = commands.takeDecisions { sessions.staged($0.key)?.approvals[$0.approval]?.decision == nil }
        for waiter in lost { orders.reply(.failed(.unavailable, reason), to: waiter.command, of: waiter.peer) }
    }

    // MARK: - Prompts

    /// To the host of a session, by way of the disk.
    private mutating func forward(
        _ message: MessageToHost, needing capability: Capability, to session: SessionID, _ id: CommandID,
        of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        let name = CommandKey(client.key, id)
        if let known = commands.reply(to: name) { return orders.reply(known, to: id, of: peer) }
        guard let view = shown[SessionKey(workspace: client.workspace, session: session)] else {
            return orders.reply(.noSuchSession, to: id, of: peer)
        }
        let host = HostKey(workspace: client.workspace, host: view.hostID)
        guard presence.takes(capability, host) else {
            let reason = "this session's host does not take a \(capability.rawValue)"
            return orders.reply(.failed(.unsupported, reason), to: id, of: peer)
        }
        if let record = commands.asked(message, name, of: peer, to: host, at: ages.time(at: now), &orders) {
            staging.commands.append(record)
        }
    }
}
