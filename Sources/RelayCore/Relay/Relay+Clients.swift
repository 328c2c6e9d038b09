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
        budgets.holdsTold[peer] = nil
        if let host = presence.hostLeft(peer) { setConnected(false, host, at: now) }
        guard presence.clientLeft(peer) else { return }
        commands.left(peer)
        subscriptions.left(peer, &orders)
        tellPlanner(.clientLeft(peer), at: now)
    }

    private mutating func run(
        _ command: ClientCommand, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
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
        case .budget(let budget): setBudget(budget, id, of: client, peer, at: now)
        case .budgets: listBudgets(id, of: client, peer, at: now)
        }
    }

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
