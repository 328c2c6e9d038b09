internal import Consent
internal import DeviceConsent
public import Foundation
internal import HeliographLink
public import LiveActivityKit
internal import RelayProtocol

/// An app's live view of one relay, for display and decisions: sessions, approvals, one session's events. It is connected in the
/// foreground only, and reports that the person is looking, so that the relay mirrors alerts to this phone only when they are not.
///
/// Create one for each relay. It reconnects by itself, continues from its last position, and never shows a gap: after one there is
/// a snapshot.
public actor RelayClient {
    /// Interval of presence reports. The relay counts a client as present for 30 s after the last.
    static let presenceEvery = Duration.seconds(10)
    /// Time without a message after which the link is dead, whatever the system reports: two replies to presence reports are
    /// missing.
    static let silenceMax = Duration.seconds(25)
    /// Time for a reply. An app that goes to the background gets less from the system.
    static let replyWithin = Duration.seconds(15)
    static let farewellWithin = Duration.seconds(2)
    /// Largest message: a snapshot of many sessions, or of 200 events with a large diff each.
    static let messageBytesMax = 64 << 20
    /// Messages that wait for the socket.
    static let outboxMax = 256

    /// The newest state, whenever something changed. One listener.
    public nonisolated let states: AsyncStream<RelayState>

    private let tell: AsyncStream<RelayState>.Continuation
    let relay: URL
    private let address: URL
    private let credentials: any RelayCredentials
    private let transport: any RelayTransport
    private let device: DeviceID?
    /// The latest storage failure while a message was opened, as a sentence.
    private let troubles = Locked<String?>(nil)
    /// The device's keys. Without them nothing is signed or opened.
    let trust: DeviceTrust?
    private(set) var link: RelayLink
    var opener: ContentOpener?
    /// The offers that `KeptWraps` has.
    private var offersKept: [KeyID: [KeyWrap]] = [:]
    var seeking: TrustSeeking?
    var refusal: Refusal.Reason?
    var rolls: RollCalls?
    /// Letters to hosts that have not been answered, by the host's key.
    var asked: [KeyID: LetterContent] = [:]
    var answers: [KeyID: LetterAnswer] = [:]
    /// Another device that this one brings: `newcomerClient` is the relay's name of it, `brought` are the hosts that trust it now.
    var vouching: Vouching?
    var vouchingUntil = ContinuousClock.now
    var newcomerClient: ClientID?
    var brought: [HostPin] = []
    var unwilling: String?
    /// Counts sent to hosts that were restored from older files.
    var bumps: [KeyID: Bump] = [:]
    /// Tasks that wait for a letter, until one arrives or their time is over.
    private var stirring: [Int: CheckedContinuation<Void, Never>] = [:]
    private var stirsMade = 0
    var state = RelayState()
    private var isForeground = false
    private var shown: SessionID?
    private var connection: Connection?
    private var connectionsMade = 0
    private var waiting: [CommandID: CheckedContinuation<Reply?, Never>] = [:]
    private var presence: Task<Void, Never>?
    private let begun = ContinuousClock.now
    private var lastHeard = ContinuousClock.now
    /// True if the hosts that are present were asked on this connection.
    var isMet = false

    /// One WebSocket, from the attempt to open it on.
    private struct Connection {
        var number: Int
        var task: Task<Void, Never>
        var socket: (any RelaySocket)?
        var outbox: AsyncStream<[UInt8]>.Continuation?
    }

    /// `device` is the id in `DeviceRegistration`, so that this phone does not ring while the person looks at it. Throws `refused`
    /// for an address that would send the token unencrypted, or a device id of a wrong form.
    ///
    /// Without `trust`, requests of hosts that take only signed decisions cannot be allowed, and sealed content is not shown.
    public init(
        relay: URL, credentials: any RelayCredentials, device: String?, software: String, trust: DeviceTrust? = nil,
        transport: any RelayTransport = URLSessionTransport()
    ) throws(LiveActivityError) {
        address = try Self.address(of: relay)
        self.relay = relay
        let spelled = device.flatMap { DeviceID($0) }
        guard device == nil || spelled != nil else {
            throw LiveActivityError(.refused, "a device's name is 1 to 64 of A-Z a-z 0-9 _ -")
        }
        (states, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.device = spelled
        self.credentials = credentials
        self.transport = transport
        self.trust = trust
        let random = String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
        link = RelayLink(software: software, idPrefix: "a" + random)
    }

    /// Address of the relay's WebSocket. Throws `refused` if the token would be sent unencrypted.
    static func address(of relay: URL) throws(LiveActivityError) -> URL {
        try HTTPRelayReporter.check(relay)
        var parts = URLComponents(url: relay, resolvingAgainstBaseURL: false)
        parts?.scheme = relay.scheme == "https" ? "wss" : "ws"
        guard let address = parts?.url?.appending(path: ProtocolVersion.clientPath) else {
            throw LiveActivityError(.refused, "this is no address of a relay")
        }
        return address
    }

    deinit {
        connection?.task.cancel()
        presence?.cancel()
        tell.finish()
    }

    // MARK: What the app tells

    /// To be called as `scenePhase` changes. In the background it reports that to the relay, within 2 s, and closes the connection.
    public func setForeground(_ isForeground: Bool) async {
        guard isForeground != self.isForeground else { return }
        self.isForeground = isForeground
        if isForeground {
            if link.phase == .idle { carryOut(link.started()) } else { carryOut(link.retryDue()) }
            return
        }
        presence?.cancel()
        if link.phase == .up { _ = await reply(to: submit(presenceCommand), within: Self.farewellWithin) }
        // The app may be in the foreground again by now.
        if !self.isForeground { hangUp(.local(code: 1001)) }
    }

    /// Sets the session on the screen, whose events are followed; nil for none.
    public func show(session: String?) {
        let wanted = session.flatMap { SessionID($0) }
        guard wanted != shown else { return }
        var orders: [RelayLink.Order] = []
        if let shown { orders += link.unfollow(shown) }
        shown = wanted
        state.events = []
        if let wanted {
            opener?.follows(wanted)
            orders += link.follow(wanted, after: nil)
        }
        carryOut(orders)
        if link.phase == .up { submit(presenceCommand) }
        publish()
    }

    /// Reports that the approval is on the screen, so that its alert need not ring here.
    public func seen(_ approval: PendingApproval) {
        guard link.phase == .up, let session = SessionID(approval.session), let id = ApprovalID(approval.id) else { return }
        submit(.seen(session, id))
    }

    /// Sends a command that contains its own id.
    func answered(
        _ make: (CommandID) throws(LiveActivityError) -> ClientCommand
    ) async throws(LiveActivityError) -> Reply {
        if case .over(let reason, let mustPair) = state.link {
            throw LiveActivityError(mustPair ? .unauthorised : .refused, reason)
        }
        guard link.phase == .up, let reply = await reply(to: try submit(make), within: Self.replyWithin) else {
            throw LiveActivityError(.unreachable, "The relay did not answer.")
        }
        return reply
    }

    /// Waits for the reply; nil if none came in time. The command is not sent again.
    private func reply(to id: CommandID, within limit: Duration) async -> Reply? {
        let alarm = Task { [weak self] in
            try? await Task.sleep(for: limit)
            if !Task.isCancelled { await self?.giveUp(id) }
        }
        defer { alarm.cancel() }
        return await withCheckedContinuation { waiting[id] = $0 }
    }

    private func giveUp(_ id: CommandID) {
        link.withdraw(id)
        waiting.removeValue(forKey: id)?.resume(returning: nil)
    }

    @discardableResult func submit(_ command: ClientCommand) -> CommandID { submit { _ in command } }

    private func submit<Fault: Error>(_ make: (CommandID) throws(Fault) -> ClientCommand) throws(Fault) -> CommandID {
        let (id, orders) = try link.submit(make)
        carryOut(orders)
        return id
    }

    // MARK: Letters

    /// Waits until a letter arrives or the time is over.
    func stirred(within limit: Duration) async {
        stirsMade += 1
        let number = stirsMade
        let alarm = Task { [weak self] in
            try? await Task.sleep(for: limit)
            await self?.stir(number)
        }
        defer { alarm.cancel() }
        await withCheckedContinuation { stirring[number] = $0 }
    }

    private func stir(_ number: Int) { stirring.removeValue(forKey: number)?.resume() }

    func stir() { for number in Array(stirring.keys) { stir(number) } }

    // MARK: Presence, which is the heartbeat too

    private var presenceCommand: ClientCommand {
        .presence(isForeground: isForeground, session: isForeground ? shown : nil, device: device)
    }

    private func keepPresent() {
        presence?.cancel()
        presence = Task { [weak self] in
            while !Task.isCancelled {
                guard let self else { return }
                await self.sayPresent()
                try? await Task.sleep(for: Self.presenceEvery)
            }
        }
    }

    private func sayPresent() {
        guard isForeground, link.phase == .up else { return }
        if lastHeard.duration(to: .now) > Self.silenceMax { return hangUp(.timedOut) }
        submit(presenceCommand)
        sendCalls()
    }

    // MARK: The connection

    private func connect() {
        connectionsMade += 1
        let number = connectionsMade
        connection = Connection(
            number: number,
            task: Task { [weak self, transport, address, credentials] in
                do throws(SocketEndError) {
                    try await self?.readTrust()
                    let socket = try await Self.open(transport, address, credentials)
                    guard let messages = await self?.opened(socket, number) else { return socket.close() }
                    let sending = Task { await Self.send(messages, over: socket) }
                    defer { sending.cancel() }
                    while true {
                        let message = try await socket.receive()
                        guard let self else { break }
                        await self.received(message, number)
                    }
                } catch { await self?.ended(error, number) }
            })
        state.link = .connecting
        publish()
    }

    private static func open(
        _ transport: any RelayTransport, _ address: URL, _ credentials: any RelayCredentials
    ) async throws(SocketEndError) -> any RelaySocket {
        let token: String
        do throws(LiveActivityError) { token = try credentials.token() } catch {
            // A keychain that is locked now may be readable later.
            throw error.code == .unauthorised ? .refused(status: 401) : .failed(error.message)
        }
        return try await transport.open(
            address, subprotocol: ProtocolVersion.subprotocol, token: token, messageBytesMax: messageBytesMax)
    }

    private static func send(_ messages: AsyncStream<[UInt8]>, over socket: any RelaySocket) async {
        for await message in messages {
            // The receiving task reports the reason.
            do { try await socket.send(Data(message)) } catch { return socket.close() }
        }
    }

    /// Nil if the connection is no longer wanted.
    private func opened(_ socket: any RelaySocket, _ number: Int) -> AsyncStream<[UInt8]>? {
        guard connection?.number == number, link.phase == .connecting else { return nil }
        let (messages, outbox) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(Self.outboxMax))
        connection?.socket = socket
        connection?.outbox = outbox
        lastHeard = .now
        carryOut(link.opened())
        return messages
    }

    private func received(_ message: Data, _ number: Int) {
        guard connection?.number == number else { return }
        lastHeard = .now
        state.heardAt = Date()
        guard opener != nil else { return took(link.received([UInt8](message))) }
        let now = Int64((ContinuousClock.now - begun) / .milliseconds(1))
        took(link.received([UInt8](message)) { opener?.open($0, at: now) ?? [$0] })
        keepWraps()
    }

    private func took(_ orders: [RelayLink.Order]) {
        carryOut(orders)
        callHosts()
        if let trouble = troubles.get() { state.trouble = trouble }
        publish()
    }

    /// Called before each connection. A keychain that is unreadable now, as before the phone's first unlock, may be readable later.
    private func readTrust() throws(SocketEndError) {
        guard let trust, opener == nil else { return }
        do throws(LiveActivityError) {
            _ = try trust.hosts()
            rolls = RollCalls(known: try trust.knownDevices().hosts, trust.crypto)
        } catch { throw .failed(error.message) }
        opener = ContentOpener(trust.crypto, nonce: { .fresh() }) {
            (try? trust.book()).map { (try? trust.identity(), $0.hosts) }
        } remembering: { [troubles] host, name, epoch in
            do throws(LiveActivityError) { try trust.remember(host, sealsAs: name, in: epoch) } catch {
                troubles.set(error.message)
            }
        }
    }

    private func keepWraps() {
        guard let trust, let offers = opener?.keys.offers, offers != offersKept, let device = try? trust.identity()?.id else {
            return
        }
        offersKept = offers
        keeping { () throws(LiveActivityError) in try trust.keep(KeptWraps(offers, for: device)) }
    }

    /// Runs `body`, and shows its failure as the state's `trouble`.
    func keeping(_ body: () throws(LiveActivityError) -> Void) {
        do throws(LiveActivityError) { try body() } catch { state.trouble = error.message }
    }

    private func ended(_ end: SocketEndError, _ number: Int) {
        guard connection?.number == number else { return }
        hangUp(LinkEnd(end))
    }

    private func hangUp(_ end: LinkEnd) {
        guard let gone = connection else { return }
        connection = nil
        gone.outbox?.finish()
        gone.socket?.close()
        gone.task.cancel()
        carryOut(link.closed(end, jitter: .random(in: 0..<1)))
        if !isForeground, case .waiting = state.link { state.link = .off }
        publish()
    }

    // MARK: Carrying out

    private func carryOut(_ orders: [RelayLink.Order]) {
        for order in orders {
            switch order {
            case .connect: connect()
            case .send(let bytes):
                // The link knows which messages were not sent, and is informed of the end.
                if case .dropped? = connection?.outbox?.yield(bytes) { hangUp(.tooSlow) }
            case .retry(let wait): retry(after: wait)
            case .tell(let news): take(news)
            }
        }
    }

    private func retry(after wait: Duration) {
        Task { [weak self] in
            try? await Task.sleep(for: wait)
            await self?.retryIfWanted()
        }
    }

    private func retryIfWanted() {
        if isForeground { carryOut(link.retryDue()) }
    }

    private func take(_ news: RelayLink.News) {
        switch news {
        case .up:
            state.link = .live
            isMet = false
            keepPresent()
        case .down(let reason, _): state.link = .waiting(reason: VisibleText.line(reason))
        case .over(let fault):
            state.link = .over(reason: VisibleText.line(fault.message), mustPair: fault.kind == .unauthorised)
            for id in Array(waiting.keys) { giveUp(id) }
        case .replied(let id, let reply): waiting.removeValue(forKey: id)?.resume(returning: reply)
        case .changed(.events(let run, let skipped)) where run.session == shown:
            if skipped > 0 { state.events = [] }
            resumeIfRestored(run)
            let added = run.events.enumerated().map { place, bytes in
                let number = run.first + Int64(place)
                return SessionEvent(bytes, number: number, remark: opener?.remark(on: number, of: run.session)?.words)
            }
            state.events = (state.events + added).suffix(RelayState.eventsMax)
        case .changed(.reset(let session, _)) where session == shown: state.events = []
        case .changed(.epochChanged): state.events = []
        case .letter(let letter, let peer): received(letter, from: peer)
        case .changed(.approval(let approval, _)): resumeIfRestored(approval)
        case .changed, .caughtUp, .notFollowed, .notice, .push: break
        }
    }

    func publish() {
        state.isComplete = link.view.isWorkspaceKnown
        state.sessions = link.view.sessions.values.filter { !$0.standsForHost }.map(SessionRow.init).sorted {
            ($1.lastActivityAt, $0.id) < ($0.lastActivityAt, $1.id)
        }
        let hosts = Set((try? trust?.book())?.hosts.map(\.id) ?? [])
        state.approvals = link.view.pendingApprovals.map { approval in
            PendingApproval(approval, link.view.sessions[approval.session], trustedBy: hosts)
        }
        state.devices = trustedDevices
        tell.yield(state)
    }
}
