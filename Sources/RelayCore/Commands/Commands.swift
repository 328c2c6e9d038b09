import RelayModel
import RelayProtocol

/// Remembered commands: those that wait for the disk, and those with an effect outside the log.
///
/// Each of the latter is on disk before its effect, which it then has once, however often it is sent within `Limits.commandsAge`. A
/// client that repeats a command gets its known state.
struct Commands {
    /// Commands that have had their effect, or may have had it.
    private var recorded: [CommandKey: RecordedCommand] = [:]
    /// Commands that wait for the disk. The first waiter of each command carries the request.
    private var waiters: [CommandKey: [CommandWaiter]] = [:]
    /// Counts of the names in `recorded` and `waiters`.
    private var counts: CommandCounts
    private let quotas: Quotas
    private var decisions: [DecisionWaiter] = []
    /// Number of waiting commands of each connected client, including those for budgets.
    private var waiting: [PeerID: Int] = [:]

    init(restoring records: [CommandRecord], _ quotas: Quotas = Quotas()) {
        self.quotas = quotas
        for record in records { recorded[CommandKey(record)] = RecordedCommand(at: record.at, reply: .forwarded(.unknown)) }
        counts = CommandCounts(recorded.keys)
    }

    mutating func connected(_ peer: PeerID) { waiting[peer] = 0 }

    /// Removes the waiters of a disconnected client. Its commands to hosts are carried out nevertheless.
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

    /// Removes and returns the waiters for which `isReady` is true.
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

    /// The known state of a command that was sent before; nil for a new one. Another command with the same name is refused, as the
    /// first one's state would be wrong for it. After a restart the first one's content is unknown, and then it is not compared.
    func reply(to name: CommandKey, for request: SteeringRequest) -> Reply? {
        let known = recorded[name]
        let content = known?.content ?? waiters[name]?.first?.content
        if let content, content != CommandContent(request) {
            return .failed(
                Notice(
                    code: WireError.Code.badValue.rawValue, message: "this id was used for another command: take another",
                    path: "$.id"), winner: nil)
        }
        return known?.reply
    }

    /// Accepts a command to a host, which waits until it is on disk. Returns the record to write; nil if there is none.
    mutating func asked(
        _ request: SteeringRequest, _ name: CommandKey, of peer: PeerID, to host: HostKey, at time: Int64,
        _ orders: inout Orders
    ) -> CommandRecord? {
        guard hasRoom(for: peer) else {
            orders.reply(.failed(.tooMany, "too many commands; wait for their answers"), to: name.command, of: peer)
            return nil
        }
        let isFirst = waiters[name] == nil
        if isFirst, let quota = counts.quotaReached(by: name, quotas) {
            orders.add(.quotaReached(quota))
            orders.reply(
                .failed(.tooMany, "too many commands in a day; the oldest have to be forgotten first"), to: name.command,
                of: peer)
            return nil
        }
        began(peer)
        waiters[name, default: []].append(
            CommandWaiter(
                peer: peer, key: name, content: CommandContent(request), request: isFirst ? request : nil, host: host))
        guard isFirst else { return nil }
        counts.add(name)
        return CommandRecord(workspace: name.workspace, client: name.client, command: name.command, at: time)
    }

    /// Sends commands that are on disk to their hosts. Returns those whose host has disconnected.
    mutating func committed(
        _ records: [CommandRecord], reaching speakers: [HostKey: PeerID], _ orders: inout Orders
    ) -> [(key: SessionKey, request: SteeringRequest)] {
        var unsent: [(key: SessionKey, request: SteeringRequest)] = []
        for record in records {
            let name = CommandKey(record)
            if recorded[name] == nil, waiters[name] == nil { counts.add(name) }
            recorded[name] = RecordedCommand(at: record.at, reply: .forwarded(.unknown))
        }
        for waiter in takeWaiters(of: records) {
            if let request = waiter.request {
                // Not sent later by itself: the person who typed it knows best whether it still makes sense then.
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
            if waiter.request != nil, recorded[waiter.key] == nil { counts.remove(waiter.key) }
            orders.reply(.failed(.unavailable, reason), to: waiter.key.command, of: waiter.peer)
        }
    }

    /// Removes and returns the waiters, in the order of the records, and for each record in the order in which they asked.
    private mutating func takeWaiters(of records: [CommandRecord]) -> [CommandWaiter] {
        let taken = records.flatMap { waiters.removeValue(forKey: CommandKey($0)) ?? [] }
        for waiter in taken { answered(waiter.peer) }
        return taken
    }

    /// Forgets commands from before `time`, by the clock that retention uses. Returns false if there were none.
    mutating func forget(before time: Int64) -> Bool {
        guard recorded.values.contains(where: { $0.at < time }) else { return false }
        recorded = recorded.filter { $0.value.at >= time }
        counts = CommandCounts(names)
        return true
    }

    /// Removes a removed workspace's state. All its clients have disconnected.
    mutating func forget(_ workspace: WorkspaceID) {
        recorded = recorded.filter { $0.key.workspace != workspace }
        waiters = waiters.filter { $0.key.workspace != workspace }
        counts = CommandCounts(names)
    }

    private var names: Set<CommandKey> { Set(recorded.keys).union(waiters.keys) }

    // MARK: - Counting

    func count(into census: inout RelayCensus) {
        census.commands = recorded.count
        census.waiters += decisions.count + waiters.values.reduce(0) { $0 + $1.count }
        if counts != CommandCounts(names) { census.breach = "the commands of a day are counted wrongly" }
        if waiting.values.contains(where: { $0 > Limits.waitingCommandsMax }) {
            census.breach = "too many commands of a client wait"
        }
        if decisions.contains(where: { waiting[$0.peer] == nil }) { census.breach = "a command waits whose client has left" }
    }
}

/// A command that must not take effect again.
private struct RecordedCommand {
    /// Time by the clock that retention uses, in milliseconds.
    let at: Int64
    /// The reply to a client that sends the command again.
    var reply: Reply
    /// Nil if an earlier run of the relay recorded it.
    var content: CommandContent?
}

/// A command that is sent to its host when it is on disk.
private struct CommandWaiter {
    let peer: PeerID
    let key: CommandKey
    let content: CommandContent
    /// Nil if another waiter of the same command carries it.
    let request: SteeringRequest?
    let host: HostKey
}
