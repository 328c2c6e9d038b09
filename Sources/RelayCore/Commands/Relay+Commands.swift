import RelayModel
import RelayProtocol

/// Commands that reach beyond the log: each is on disk under its name before it has its effect, and has it once, however often it
/// is sent within `Limits.commandsAge`. Whoever sends it again is told what is known of it.
extension Relay {
    mutating func prompt(
        _ message: MessageToHost, needing capability: Capability, of session: SessionID, _ id: CommandID,
        of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        let name = CommandKey(workspace: client.workspace, client: client.identity.client.id, command: id)
        if let known = commands[name] { return reply(known.reply, to: id, of: peer) }
        guard let found = shown[SessionKey(workspace: client.workspace, session: session)] else {
            reply(.noSuchSession, to: id, of: peer)
            return
        }
        let key = HostKey(workspace: client.workspace, host: found.hostID)
        guard let host = hostPeers[key], hosts[host]?.capabilities.contains(capability) == true else {
            reply(.failed(.unsupported, "this session's host does not take a \(capability.rawValue)"), to: id, of: peer)
            return
        }
        guard client.waitingCommands < Limits.waitingCommandsMax,
            commands.count + commandWaiters.count < Limits.commandsMax
        else {
            reply(.failed(.tooMany, "too many commands; wait for their answers"), to: id, of: peer)
            return
        }
        clients[peer]?.waitingCommands += 1
        let isFirst = !commandWaiters.contains { $0.key == name }
        commandWaiters.append(CommandWaiter(peer: peer, key: name, message: isFirst ? message : nil, host: key))
        guard isFirst else { return }
        staging.commands.append(
            CommandRecord(workspace: name.workspace, client: name.client, command: name.command, at: ages.time(at: now)))
    }

    /// They are on disk: they go to their hosts.
    mutating func run(_ records: [CommandRecord]) {
        for record in records {
            commands[CommandKey(record)] = RecordedCommand(at: record.at, reply: .forwarded(.unknown))
        }
        for waiter in takeCommandWaiters(of: records) {
            if let message = waiter.message {
                // Nobody knows better than the one who typed it whether it still makes sense later.
                var answer = Reply.failed(.unavailable, "the host has just gone; send it again under another id")
                if let host = hostPeers[waiter.host] {
                    send(message, toHost: host)
                    answer = .forwarded(.sent)
                }
                commands[waiter.key]?.reply = answer
            }
            if let known = commands[waiter.key] { reply(known.reply, to: waiter.key.command, of: waiter.peer) }
        }
    }

    mutating func refuse(_ records: [CommandRecord], _ reason: String) {
        for waiter in takeCommandWaiters(of: records) {
            reply(.failed(.unavailable, reason), to: waiter.key.command, of: waiter.peer)
        }
    }

    private mutating func takeCommandWaiters(of records: [CommandRecord]) -> [CommandWaiter] {
        guard !records.isEmpty else { return [] }
        let names = Set(records.map { CommandKey($0) })
        let taken = commandWaiters.filter { names.contains($0.key) }
        commandWaiters.removeAll { names.contains($0.key) }
        for waiter in taken { clients[waiter.peer]?.waitingCommands -= 1 }
        return taken
    }
}

/// A command that is not to take effect again.
struct RecordedCommand {
    /// By the time that history ages by.
    let at: Int64
    /// To whoever sends it again.
    var reply: Reply
}

extension CommandKey {
    init(_ record: CommandRecord) {
        self.init(workspace: record.workspace, client: record.client, command: record.command)
    }
}
