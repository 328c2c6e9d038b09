import Logging
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Passes input from all loops to the core, and limits its amount. Confined to the core's thread.
final class Ingress {
    private let runner: RelayRunner
    private let routes: Routes
    private let access: Access
    private let connections: PeerConnections
    private let rateLimiters: RateLimiters
    /// One account for each admitted connection.
    private var accounts: [ConnectionID: Account] = [:]
    /// The account that was used last, as messages of one connection come in sequences.
    private var latest: (connection: ConnectionID, account: Account)?
    private var shares = FairShares()
    /// By token, so that opening hundreds of connections gives no larger share of a turn.
    private var speakers: [String: Speaker] = [:]
    private var congestion = Congestion()
    private let loop: EventLoop
    private let readThrottle: ReadThrottle
    private let uncommittedBytesMax: Int
    private let attendance: Attendance
    private let measures: Measures
    private let logger: Logger

    init(
        _ limits: ServerLimits, runner: RelayRunner, routes: Routes, access: Access, loop: EventLoop,
        connections: PeerConnections, measures: Measures, logger: Logger
    ) {
        self.runner = runner
        self.routes = routes
        self.access = access
        self.connections = connections
        self.loop = loop
        attendance = Attendance(access, measures, logger)
        self.measures = measures
        self.logger = logger
        rateLimiters = RateLimiters(limits)
        readThrottle = ReadThrottle(loop: loop, connections: connections)
        uncommittedBytesMax = limits.uncommittedMegabytes << 20
    }

    /// Limits of one connection. A class, so that nothing is copied with each message.
    private final class Account {
        let rates: ConnectionRates
        let speaker: Speaker
        init(_ rates: ConnectionRates, _ speaker: Speaker) { (self.rates, self.speaker) = (rates, speaker) }
    }

    func take(_ arrival: Arrival) {
        switch arrival {
        case .said(let input, let connection, let bytes):
            let (now, begun) = (Instant.now, MonotonicTime.now)
            let staged = runner.stagedCost
            runner.feed(input, at: now)
            // The connection may have been closed by now.
            guard let account = account(of: connection) else { return }
            count(bytes, on: connection, account.rates, at: now)
            share(begun, staged, connection, account.speaker)
        case .opened(let connection, let authenticated): opened(connection, authenticated)
        case .closed(let connection, let reason): closed(connection, reason)
        case .congested(let connection):
            measures.congested()
            if congestion.began(connection) { runner.feed(.congested(PeerID(connection))) }
        case .drained(let connection): if congestion.ended(connection) { runner.feed(.drained(PeerID(connection))) }
        case .request(let request, let id): routes.answer(request, id)
        // A request that the core has begun is completed, whether or not its answer can be delivered.
        case .requestAborted: break
        case .unread: preconditionFailure("what goes to another node does not come here")
        case .tokenUnknown: access.reload()
        case .linkOpened: break
        case .turnedAway(let workspace): runner.feed(.connectionRefused(workspace))
        case .linkClosed(let link, _): congestion.forget(link: link)
        case .linkCongested(let link):
            for peer in congestion.began(link: link, peers(of: link)) { runner.feed(.congested(PeerID(peer))) }
        case .linkDrained(let link):
            for peer in congestion.ended(link: link, peers(of: link)) { runner.feed(.drained(PeerID(peer))) }
        }
    }

    /// Nil if the connection was closed.
    private func account(of connection: ConnectionID) -> Account? {
        if let latest, latest.connection == connection { return latest.account }
        guard let account = accounts[connection] else { return nil }
        latest = (connection, account)
        return account
    }

    /// A peer's output fills its share of a link: it is neither read nor sent anything until that has drained.
    func shareChanged(_ connection: ConnectionID, isFull: Bool) {
        guard accounts[connection] != nil else { return }
        guard isFull else {
            readThrottle.resume(connection, from: .share)
            if congestion.ended(connection, .share) { runner.feed(.drained(PeerID(connection))) }
            return
        }
        measures.congested()
        _ = readThrottle.pause(connection, for: .share)
        if congestion.began(connection, .share) { runner.feed(.congested(PeerID(connection))) }
    }

    private func peers(of link: Int) -> [ConnectionID] {
        accounts.keys.filter { RemotePeer.link(of: $0.rawValue) == link }
    }

    private func opened(_ connection: ConnectionID, _ authenticated: AuthenticatedPeer) {
        connections.came(connection)
        guard attendance.came(connection, authenticated) else { return }
        let token = authenticated.token
        let speaker = speakers[token.id] ?? Speaker(token.id)
        speaker.came(connection)
        speakers[token.id] = speaker
        accounts[connection] = Account(
            rateLimiters.rates(of: token, at: authenticated.address, Instant.now.uptimeNanoseconds), speaker)
        let peer = PeerID(connection)
        switch token.role {
        case .host:
            guard let id = HostID(token.subject) else { preconditionFailure("tokens are made with proper subjects") }
            runner.feed(
                .hostConnected(
                    peer,
                    HostIdentity(workspace: token.workspace, host: Named(id: id, name: token.name), scope: token.scope)))
        case .client, .watcher, .operator: runner.feed(.clientConnected(peer, access.client(token)))
        }
        if congestion.holds(connection) { runner.feed(.congested(peer)) }
    }

    private func closed(_ connection: ConnectionID, _ reason: CloseReason) {
        // After everything that was sent to it.
        defer { connections.gone(connection) }
        guard attendance.left(connection, reason) else { return }
        if let speaker = accounts.removeValue(forKey: connection)?.speaker, !speaker.left(connection) {
            speakers[speaker.token] = nil
        }
        if latest?.connection == connection { latest = nil }
        congestion.forget(connection)
        readThrottle.forget(connection)
        runner.feed(.disconnected(PeerID(connection)))
    }

    // MARK: - How much

    /// Pauses reading of a peer that exceeds its rate, and of hosts while the disk is too slow.
    private func count(_ bytes: Int, on connection: ConnectionID, _ rates: ConnectionRates, at now: Instant) {
        let now = now.uptimeNanoseconds
        if let delay = rates.took(bytes, at: now) { slow(connection, rates, delay, at: now) }
        if runner.uncommittedBytes > uncommittedBytesMax, access.peers[connection]?.token.role == .host,
            readThrottle.pause(connection, for: .disk)
        {
            measures.slowed(.uncommittedMegabytes)
        }
    }

    /// Pauses the sender if a message has taken long or staged much, so that other waiting peers are served first.
    private func share(_ begun: MonotonicTime, _ staged: Int, _ connection: ConnectionID, _ speaker: Speaker) {
        if let rest = speaker.worked(MonotonicTime.now.nanoseconds - begun.nanoseconds, &shares) {
            self.rest(speaker, connection, forNanoseconds: rest)
        }
        guard let held = speaker.staged(runner.stagedCost - staged, by: connection, &shares) else { return }
        for connection in held { _ = readThrottle.pause(connection, for: .batch) }
    }

    private func rest(_ speaker: Speaker, _ connection: ConnectionID, forNanoseconds rest: Int64) {
        guard speaker.connections.count > 1 else { return readThrottle.slow(connection, forNanoseconds: rest) }
        let resting = speaker.connections.filter { readThrottle.pause($0, for: .turn) }
        guard !resting.isEmpty else { return }
        loop.schedule(after: .nanoseconds(rest)) { [readThrottle] in
            for connection in resting { readThrottle.resume(connection, from: .turn) }
        }
    }

    /// The tick has ended, and its changes are being committed unless a commit is under way.
    func tickEnded() {
        shares.turnEnded()
        if readThrottle.isPausing(for: .disk), runner.uncommittedBytes <= uncommittedBytesMax / 2 {
            readThrottle.resume(for: .disk)
        }
        guard !runner.isStaging else { return }
        shares.batchCut()
        readThrottle.resume(for: .batch)
    }

    private func slow(_ connection: ConnectionID, _ rates: ConnectionRates, _ delay: RateLimiter.Delay, at now: Int64) {
        measures.slowed(delay.limit)
        readThrottle.slow(connection, forNanoseconds: delay.wait)
        guard rates.own.isNoticeDue(at: now), let token = access.peers[connection]?.token else { return }
        logger.notice(
            "reads a peer slower",
            metadata: [
                "connection.id": "\(connection)", "limit": "limits.\(delay.limit.rawValue)", "subject": "\(token.subject)",
            ])
        let notice = Notice(
            code: ErrorCode.tooMany.rawValue,
            message: "more comes than limits.\(delay.limit.rawValue) allows: it is read slower")
        connections.send(
            token.role == .host ? MessageToHost.notice(notice).bytes : MessageToClient.notice(notice).bytes,
            to: [PeerID(connection)])
    }
}

extension PeerID {
    init(_ connection: ConnectionID) { self.init(rawValue: connection.rawValue) }
}
