import RelayModel
import RelayProtocol

/// Commands that are remembered: those that wait for the disk, and those with an effect outside the log.
///
/// Each of the latter is on disk under its name before its effect, and has that once, however often it is sent within
/// `Limits.commandsAge`. A client that sends one again gets what is known of it.
struct Commands {
    /// Commands that have had their effect, or may have had it.
    private var recorded: [CommandKey: RecordedCommand] = [:]
    private var waiters: [CommandWaiter] = []
    private var decisions: [DecisionWaiter] = []
    /// Number of waiting commands of each connected client, including those for budgets.
    private var waiting: [PeerID: Int] = [:]

    init(restoring records: [CommandRecord]) {
        for record in records { recorded[CommandKey(record)] = RecordedCommand(at: record.at, reply: .forwarded(.unknown)) }
    }

    mutating func connected(_ peer: PeerID) { waiting[peer] = 0 }

    /// Commands for a host are carried out all the same.
    mutating func left(_ peer: PeerID) {
        waiting[peer] = nil
        decisions.removeAll { $0.peer == peer }
    }

    // MARK: - Waiting for the disk

    func hasRoom(for peer: PeerID) -> Bool { waiting[peer].map { $0 < Limits.waitingCommandsMax } == true }

    mutating func began(_ peer: PeerID) { waiting[peer]? += 1 }

    mutating func answered(_ peer: PeerID) { waiting[peer]? -= 1 }

    mutating func wait(_ waiter: DecisionWaiter) {
        decisions.append(waiter)
        began(waiter.peer)
    }

    var hasDecisions: Bool { !decisions.isEmpty }

    /// Removes and returns the waiters that can be answered now.
    mutating func takeDecisions(where isReady: (DecisionWaiter) -> Bool) -> [DecisionWaiter] {
        var ready: [DecisionWaiter] = []
        var rest: [DecisionWaiter] = []
        for waiter in decisions {
            if isReady(waiter) { ready.append(waiter) } else { rest.append(waiter) }
        }
        guard !ready.isEmpty else { return [] }
        decisions = rest
        for waiter in ready { answered(waiter.peer) }
        return ready
    }

    // MARK: - Beyond the log

    /// The known state of a command that was sent before. Another command under its name is refused: the first one's state would be
    /// untrue of it. The first one's content is not known after a restart.
    func reply(to name: CommandKey, for request: SteeringRequest) -> Reply? {
        let known = recorded[name]
        let content = known?.content ?? waiters.first { $0.key == name }?.content
        if let content, content != CommandContent(request) {
            return .failed(
                Notice(
                    code: WireError.Code.badValue.rawValue, message: "this id was used for another command: take another",
                    path: "$.id"), winner: nil)
        }
        return known?.reply
    }

    /// A command to a host waits until it is on disk. Returns what is to be put there; nil where nothing is.
    mutating func asked(
        _ request: SteeringRequest, _ name: CommandKey, of peer: PeerID, to host: HostKey, at time: Int64,
        _ orders: inout Orders
    ) -> CommandRecord? {
        guard hasRoom(for: peer) else {
            orders.reply(.failed(.tooMany, "too many commands; wait for their answers"), to: name.command, of: peer)
            return nil
        }
        guard isRemembered(one: name) else {
            orders.reply(
                .failed(.tooMany, "too many commands in a day; the oldest have to be forgotten first"), to: name.command,
                of: peer)
            return nil
        }
        began(peer)
        let isFirst = !waiters.contains { $0.key == name }
        waiters.append(
            CommandWaiter(
                peer: peer, key: name, content: CommandContent(request), request: isFirst ? request : nil, host: host))
        guard isFirst else { return nil }
        return CommandRecord(workspace: name.workspace, client: name.client, command: name.command, at: time)
    }

    /// True if another one can be remembered: one client's many leave room for others', and a workspace's for others'.
    private func isRemembered(one name: CommandKey) -> Bool {
        guard recorded.count + waiters.count >= Limits.commandsOfClientMax else { return true }
        var (ofWorkspace, ofClient) = (0, 0)
        func count(_ key: CommandKey) {
            guard key.workspace == name.workspace else { return }
            ofWorkspace += 1
            if key.client == name.client { ofClient += 1 }
        }
        for key in recorded.keys { count(key) }
        for waiter in waiters { count(waiter.key) }
        return ofWorkspace < Limits.commandsMax && ofClient < Limits.commandsOfClientMax
    }

    /// The commands are on disk: they go to their hosts, over each host's connection. Returns those whose host has gone.
    mutating func committed(
        _ records: [CommandRecord], reaching speakers: [HostKey: PeerID], _ orders: inout Orders
    ) -> [(key: SessionKey, request: SteeringRequest)] {
        var unsent: [(key: SessionKey, request: SteeringRequest)] = []
        for record in records {
            recorded[CommandKey(record)] = RecordedCommand(at: record.at, reply: .forwarded(.unknown))
        }
        for waiter in takeWaiters(of: records) {
            if let request = waiter.request {
                // The person who typed it knows best whether it still makes sense later.
                var answer = Reply.failed(.unavailable, "the host has just gone; send it again under another id")
                if let host = speakers[waiter.host] {
                    orders.send(.steer(request), toHost: host)
                    answer = .forwarded(.sent)
                } else {
                    unsent.append((SessionKey(workspace: waiter.host.workspace, session: request.session), request))
                }
                recorded[waiter.key]?.reply = answer
                recorded[waiter.key]?.content = waiter.content
            }
            if let known = recorded[waiter.key] { orders.reply(known.reply, to: waiter.key.command, of: waiter.peer) }
        }
        return unsent
    }

    mutating func lost(_ records: [CommandRecord], _ reason: String, _ orders: inout Orders) {
        for waiter in takeWaiters(of: records) {
            orders.reply(.failed(.unavailable, reason), to: waiter.key.command, of: waiter.peer)
        }
    }

    private mutating func takeWaiters(of records: [CommandRecord]) -> [CommandWaiter] {
        guard !records.isEmpty else { return [] }
        let names = Set(records.map { CommandKey($0) })
        let taken = waiters.filter { names.contains($0.key) }
        waiters.removeAll { names.contains($0.key) }
        for waiter in taken { answered(waiter.peer) }
        return taken
    }

    /// Forgets commands from before `time`, on the clock that history ages by. Returns false if there were none.
    mutating func forget(before time: Int64) -> Bool {
        guard recorded.values.contains(where: { $0.at < time }) else { return false }
        recorded = recorded.filter { $0.value.at >= time }
        return true
    }

    /// The workspace was removed, and all its clients have left.
    mutating func forget(_ workspace: WorkspaceID) {
        recorded = recorded.filter { $0.key.workspace != workspace }
        waiters.removeAll { $0.key.workspace == workspace }
    }

    // MARK: - Counting

    func count(into census: inout RelayCensus) {
        census.commands = recorded.count
        census.waiters = decisions.count + waiters.count
        if waiting.values.contains(where: { $0 > Limits.waitingCommandsMax }) {
            census.breach = "too many commands of a client wait"
        }
        if decisions.contains(where: { waiting[$0.peer] == nil }) { census.breach = "a command waits whose client has left" }
    }
}

/// A command that is not to take effect again.
private struct RecordedCommand {
    /// Time on the clock that history ages by, ms.
    let at: Int64
    /// To a client that sends it again.
    var reply: Reply
    /// Nil if an earlier relay recorded it.
    var content: CommandContent?
}

/// A command that goes to its host when it is on disk.
private struct CommandWaiter {
    let peer: PeerID
    let key: CommandKey
    let content: CommandContent
    /// Nil where another waiter of the same name carries it.
    let request: SteeringRequest?
    let host: HostKey
}
