import ChannelAPNs
import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

/// Drives a relay by hand, message by message: events and the resulting orders. Commits happen when the test says so.
final class RelayTranscript {
    var relay: Relay
    var now: Int64 = 1_000_000
    private(set) var log: [SessionKey: [[UInt8]]] = [:]
    /// Events `1...through` are no longer in `log`.
    private(set) var trimmedThrough: [SessionKey: Int] = [:]
    private(set) var states: [SessionKey: SessionState] = [:]
    private(set) var removed: [SessionKey: RemovedSession] = [:]
    private(set) var approvals: [ApprovalID: Approval] = [:]
    private(set) var commands: [CommandRecord] = []
    private(set) var pendingApprovalReads: [(ReadID, ApprovalID)] = []
    var pictureSearches: [(peer: PeerID, request: SteeringRequest)] = []
    private(set) var pendingRemovedSessionsReads: [(ReadID, [SessionKey])] = []
    private(set) var pendingBatch: LogBatch?
    private(set) var pendingReads: [(ReadID, LogQuery)] = []
    private(set) var sent: [PeerID: [String]] = [:]
    private(set) var closed: [PeerID: CloseCode] = [:]
    private(set) var timers: [RelayTimer: Int64] = [:]
    /// When each armed timer is due, by `now`.
    private(set) var deadlines: [RelayTimer: Int64] = [:]
    /// Records by kind and name.
    private(set) var records: [String: PushRecord] = [:]
    /// Pushes that were ordered and not taken.
    private(set) var pushes: [PushIntent] = []
    /// Pushes that were ordered not to be sent any more.
    private(set) var withdrawn: [PushID] = []
    /// Reported removals, in order.
    private(set) var told: [Removal] = []
    /// Lead of the wall clock, if it is not trusted.
    private(set) var doubt: Int64?
    /// The clock as stored in the log.
    private(set) var clock: AgeClockRecord?
    /// Limits that were reached, in order.
    private(set) var quotas: [Quota] = []
    /// Workspaces whose data may be taken away.
    private(set) var left: [WorkspaceID] = []
    /// True to prepare messages while a batch is being written, like the runner.
    var preparesMessages = true
    private var lastPeer: UInt64 = 0

    static let epoch = Epoch("e1")!
    static let home = Named(id: WorkspaceID("home")!, name: "home")

    init(
        state: LogState = LogState(), retention: Retention = Retention(), quotas: Quotas = Quotas(),
        push: PushSettings = PushSettings(channels: [.apns: APNsChannel()]),
        removedSessionsMax: Int = Limits.removedSessionsMax, now: Int64 = 1_000_000,
        holders: Set<ClientKey>? = nil, boot: String = "boot1", clockOffset: Int64 = 0
    ) {
        self.now = now
        self.clockOffset = clockOffset
        relay = Relay(
            configuration: .init(
                software: "test", heartbeat: Heartbeat(pingSeconds: 15, hangUpSeconds: 30), retention: retention,
                quotas: quotas, push: push, removedSessionsMax: removedSessionsMax),
            epochs: Epochs(ofLog: Self.epoch, first: Self.home.id), state: state, boot: boot,
            at: Instant(wall: now + clockOffset, uptime: now))
        run(relay.started(at: instant, holders: holders))
    }

    /// Lead of the wall clock over the steady one.
    var clockOffset: Int64 = 0
    private var instant: Instant { Instant(wall: now + clockOffset, uptime: now) }

    /// Initial state of a relay that is started now.
    var state: LogState {
        LogState(
            sessions: states.map { ($0, $1) }, removed: removed.map { ($0, $1) },
            approvals: approvals.values.map { (Self.home.id, $0) }, commands: commands,
            records: records.sorted { $0.key < $1.key }.map(\.value), clock: clock)
    }

    func handle(_ input: Input) { run(relay.handle(input, at: instant)) }

    private func run(_ effects: [Effect]) {
        let hadBatch = pendingBatch != nil
        defer { if preparesMessages, !hadBatch, pendingBatch != nil { relay.prepare() } }
        for effect in effects {
            switch effect {
            case .send(let bytes, let peers):
                for peer in peers { sent[peer, default: []].append(String(decoding: bytes, as: UTF8.self)) }
            case .answer(let reply, let command, let peer):
                #expect(peer.isCommandPeer)
                sent[peer, default: []].append(String(decoding: MessageToClient.reply(command, reply).bytes, as: UTF8.self))
            case .close(let peer, let code): closed[peer] = code
            case .append(let batch):
                #expect(pendingBatch == nil, "at most one append is under way")
                pendingBatch = batch
            case .read(let id, let query): pendingReads.append((id, query))
            case .readRemovedSessions(let id, let keys): pendingRemovedSessionsReads.append((id, keys))
            case .readApproval(let id, _, let approval): pendingApprovalReads.append((id, approval))
            case .findPictures(let peer, let request, _): pictureSearches.append((peer, request))
            case .armTimer(let timer, let after):
                timers[timer] = after
                deadlines[timer] = now + after
            case .cancelTimer(let timer):
                timers[timer] = nil
                deadlines[timer] = nil
            case .push(let order): pushes.append(order)
            case .withdrawPush(let push): withdrawn.append(push)
            case .quotaReached(let quota): quotas.append(quota)
            case .historyRemoved(let removals): told += removals
            case .used: break
            case .clockJudged(let ahead): doubt = ahead
            case .makePairingCode: break
            case .workspaceLeft(let workspace): left.append(workspace)
            }
        }
    }

    // MARK: - The world

    /// Ends the tick and writes its batch to disk.
    func commit() {
        handle(.tickEnded)
        finishCommit()
    }

    func finishCommit() {
        guard let batch = pendingBatch else { return }
        pendingBatch = nil
        var taken: [ApprovalName] = []
        for append in batch.appends {
            let last = Int64(trimmedThrough[append.key, default: 0] + log[append.key, default: []].count)
            #expect(append.firstSeq == last + 1)
            log[append.key, default: []] += append.events.map(\.bytes)
            states[append.key] = append.state
            removed[append.key] = nil
            for approval in append.approvals {
                if approvals[approval.id]?.stage.isFinal == true {
                    taken.append(ApprovalName(append.key, approval.id))
                } else {
                    approvals[approval.id] = approval
                }
            }
        }
        for trim in batch.trims {
            log[trim.key, default: []].removeFirst(Int(trim.through) - trimmedThrough[trim.key, default: 0])
            trimmedThrough[trim.key] = Int(trim.through)
            if trim.state == nil, let state = states[trim.key] {
                removed[trim.key] = RemovedSession(
                    host: state.summary.host.id, seq: state.seq, hostSeq: state.hostSeq, usage: trim.usage)
                approvals = approvals.filter { $0.value.session != trim.key.session }
            }
            states[trim.key] = trim.state
        }
        for record in batch.records { records["\(record.kind) \(record.name)"] = record.bytes == nil ? nil : record }
        if let kept = batch.clock { clock = kept }
        commands += batch.commands
        if let before = batch.commandsForgottenBefore { commands.removeAll { $0.at < before } }
        if !taken.isEmpty { handle(.namesTaken(taken)) }
        handle(.committed)
    }

    /// Lets time pass: timers that fall due fire in order, and each tick is committed.
    func pass(_ milliseconds: Int64) {
        let end = now + milliseconds
        settle()
        while let (timer, due) = deadlines.min(by: { $0.value < $1.value }), due <= end {
            now = max(now, due)
            fire(timer)
            settle()
        }
        now = end
    }

    /// Commits until nothing is staged, as a commit may lead to another.
    func settle() {
        repeat { commit() } while pendingBatch != nil || isStaging
    }

    private var isStaging: Bool {
        handle(.tickEnded)
        return pendingBatch != nil
    }

    /// Takes the pushes that were ordered.
    func takePushes() -> [PushIntent] {
        defer { pushes = [] }
        return pushes
    }

    func fire(_ timer: RelayTimer) {
        deadlines[timer] = nil
        #expect(timers.removeValue(forKey: timer) != nil, "a timer fires after it was armed")
        handle(.timerFired(timer))
    }

    func failCommit() {
        handle(.tickEnded)
        pendingBatch = nil
        handle(.commitFailed(reason: "no space"))
    }

    /// Answers every read that is under way, and those that follow.
    func read() {
        while !pendingReads.isEmpty {
            let (id, query) = pendingReads.removeFirst()
            let events = log[query.key] ?? []
            let trimmed = trimmedThrough[query.key, default: 0]
            let page =
                switch query.range {
                case .after(let seq): events.dropFirst(max(0, Int(seq) - trimmed)).prefix(query.limit)
                case .before(let seq): events.prefix(max(0, Int(seq) - 1 - trimmed)).suffix(query.limit)
                }
            handle(.pageRead(id, LogPage(first: Int64(trimmed + page.startIndex) + 1, events: Array(page))))
        }
        while !pendingRemovedSessionsReads.isEmpty {
            let (id, keys) = pendingRemovedSessionsReads.removeFirst()
            // Positions as a log returns them, including those of existing sessions.
            let places = keys.reduce(into: removed.filter { keys.contains($0.key) }) { places, key in
                guard let state = states[key] else { return }
                places[key] = RemovedSession(host: state.summary.host.id, seq: state.seq, hostSeq: state.hostSeq)
            }
            handle(.removedSessionsRead(id, places))
        }
        while !pendingApprovalReads.isEmpty {
            let (id, approval) = pendingApprovalReads.removeFirst()
            handle(.approvalRead(id, approvals[approval]))
        }
    }

    /// Answers every read that is under way, but none that follows, with a word that it never will be.
    func failReads(isLasting: Bool) {
        let failed = pendingReads.map(\.0) + pendingRemovedSessionsReads.map(\.0)
        (pendingReads, pendingRemovedSessionsReads) = ([], [])
        for id in failed { handle(.readFailed(id, reason: "no", isLasting: isLasting)) }
    }

    /// Messages to a peer since the last call.
    func take(_ peer: PeerID) -> [String] { sent.removeValue(forKey: peer) ?? [] }

    func types(_ peer: PeerID) -> [String] { take(peer).map { (try? JSONDocument(parsing: $0).root.string("type")) ?? "?" } }

    // MARK: - Peers

    static func identity(
        _ name: String, in workspace: WorkspaceID = home.id, scope: Scope = Scope(of: .host)
    ) -> HostIdentity {
        HostIdentity(workspace: workspace, host: Named(id: HostID(name)!, name: name), scope: scope)
    }

    func host(
        _ name: String = "laptop", in workspace: WorkspaceID = home.id, sessions: [SessionID] = [],
        capabilities: Set<Capability> = [], scope: Scope = Scope(of: .host)
    ) -> PeerID {
        let peer = newPeer()
        handle(.hostConnected(peer, Self.identity(name, in: workspace, scope: scope)))
        handle(.hostSent(peer, .hello(Hello(software: "test", capabilities: capabilities, sessions: sessions))))
        return peer
    }

    func client(
        _ name: String = "phone", in workspace: Named<WorkspaceTag> = home, scope: Scope = Scope(of: .operator)
    ) -> PeerID {
        let peer = newPeer()
        let named = Named<ClientTag>(id: ClientID(name)!, name: name)
        handle(.clientConnected(peer, ClientIdentity(workspace: workspace, client: named, scope: scope)))
        handle(.clientSent(peer, .hello(Hello(software: "test"))))
        return peer
    }

    private func newPeer() -> PeerID {
        lastPeer += 1
        return PeerID(rawValue: lastPeer)
    }

    func send(_ heads: [EventHead], to session: SessionID = session, first: Int64, gap: Bool = false, by host: PeerID) {
        send(events: heads.map { Event($0, at: now) }, to: session, first: first, gap: gap, by: host)
    }

    func send(events: [Event], to session: SessionID = session, first: Int64, gap: Bool = false, by host: PeerID) {
        handle(.hostSent(host, .events(HostEvents(session: session, first: first, isAfterGap: gap, events: events))))
    }

    func command(_ command: ClientCommand, id: String, by client: PeerID) {
        handle(.clientSent(client, .command(CommandID(id)!, command)))
        // Only a requested reply comes with the end of the tick; staged records wait for `commit`.
        if case .subscribe = command { handle(.tickEnded) }
    }

    /// A relay that was started anew has the same disk.
    func resume(_ other: RelayTranscript) {
        (log, trimmedThrough, states, removed) = (other.log, other.trimmedThrough, other.states, other.removed)
        (approvals, commands, now) = (other.approvals, other.commands, other.now)
        (records, clock) = (other.records, other.clock)
    }

    /// The numbers of every event that a client was sent, in order.
    static func numbers(_ messages: [String]) throws -> [Int64] {
        var numbers: [Int64] = []
        for message in messages {
            let value = try JSONDocument(parsing: message).root
            guard value.optional("events") != nil, value.optional("first") != nil else { continue }
            let first = try value.integer("first")
            numbers += (0..<Int64(try value.array("events").count)).map { first + $0 }
        }
        return numbers
    }

    // MARK: - Samples

    static let session = SessionID("s1")!
    static let key = SessionKey(workspace: home.id, session: session)
    static let digest = InputDigest(String(repeating: "ab", count: 32))!
    static let takesPrompts = EventHead.steeringOffered(SteeringOffer(actions: [.prompt, .interrupt]))
    static let started = EventHead.sessionStarted(SessionFacts(agentName: "claude-code"))

    static let otherDigest = InputDigest(String(repeating: "cd", count: 32))!

    static func request(
        _ id: String = "a1", kind: ApprovalKind = .tool, cut: Bool = false, expiresAt: Int64? = nil,
        digest: InputDigest = digest
    ) -> EventHead {
        var request = ApprovalRequest(
            approval: ApprovalID(id)!, kind: kind, tool: "Bash", title: "Run: ls", digest: digest)
        request.isCut = cut
        request.expiresAt = expiresAt
        return .approvalRequested(request)
    }

    /// A request whose content has so many bytes.
    func largeRequest(_ id: String, bytes: Int) -> Event {
        Event(Self.request(id), at: now) { $0.field("text", String(repeating: "x", count: bytes)) }
    }

    static func decide(_ verdict: Decision.Verdict, _ id: String = "a1", digest: InputDigest = digest) -> ClientCommand {
        .decide(DecideCommand(session: session, approval: ApprovalID(id)!, digest: digest, verdict: verdict))
    }

    /// A host with one session and one pending approval, and a client that watches the workspace. Nothing is left unread.
    static func withPendingApproval(
        kind: ApprovalKind = .tool, cut: Bool = false, expiresAt: Int64? = nil
    ) -> (RelayTranscript, host: PeerID, client: PeerID) {
        let transcript = RelayTranscript()
        let host = transcript.host()
        let client = transcript.client()
        transcript.command(.subscribe(nil, after: nil), id: "sub", by: client)
        transcript.send([started, request(kind: kind, cut: cut, expiresAt: expiresAt)], first: 1, by: host)
        transcript.commit()
        _ = transcript.take(host)
        _ = transcript.take(client)
        return (transcript, host, client)
    }
}
