import RelayModel
import RelayProtocol

/// Terminals that hosts hold: forwards clients' looks and keys to them, and the answers back.
extension Relay {
    mutating func ask(
        _ wish: ScreenCall.Wish, of session: SessionID, signature: String?, _ id: CommandID, by client: ClientPeer,
        _ peer: PeerID, at now: Instant
    ) {
        let key = SessionKey(workspace: client.workspace, session: session)
        guard let view = shown[key] else { return orders.reply(.noSuchSession, to: id, of: peer) }
        guard view.endedAt == nil else { return orders.reply(.failed(.closed, "this session has ended"), to: id, of: peer) }
        guard view.steering?.hasScreen == true else {
            return orders.reply(.failed(.unsupported, "no terminal of this session can be seen"), to: id, of: peer)
        }
        let host = HostKey(workspace: client.workspace, host: view.hostID)
        guard let speaker = presence.speakers[host] else {
            return orders.reply(.failed(.unavailable, "this session's host is not there"), to: id, of: peer)
        }
        let call = ScreenCall(command: id, session: session, by: client.identity.client, wish: wish, signature: signature)
        if let refusal = screens.ask(call, as: CommandKey(client.key, id), of: client.key, peer, to: host, at: now) {
            return orders.reply(refusal, to: id, of: peer)
        }
        orders.send(.screen(call), toHost: speaker)
    }

    mutating func answered(_ name: SteeringName, _ answer: ScreenAnswer, by host: HostPeer) {
        let client = ClientKey(workspace: host.key.workspace, client: name.client)
        guard let peer = screens.answered(CommandKey(client, name.command), by: host.key),
            presence.clients[peer]?.isShownOut == false
        else { return }
        orders.reply(answer.reply, to: name.command, of: peer)
    }

    /// Answers the calls to a host that has disconnected. Keys on their way may or may not have arrived.
    mutating func screensLeft(with host: HostKey) {
        for (peer, command) in screens.hostLeft(host) {
            orders.reply(.failed(.unavailable, "this session's host has just gone"), to: command, of: peer)
        }
    }
}
