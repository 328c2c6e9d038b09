import ChannelAPNs
import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// Phones, browsers, the push services, and the checkers of the relay's plans and orders for them.
final class PushWorld {
    /// Additional milliseconds of calm in a world with phones.
    static let calm: Int64 = 400_000

    unowned let world: World
    let apns: SimulatedAPNs
    private(set) var phones: [Phone] = []
    /// True if the app may listen to broadcast channels.
    let hasChannels: Bool

    var presence = PresenceChecker()
    private var order = CardOrderChecker()
    private var edge = CardEdgeChecker()
    private var reserve = ReserveChecker()
    private var ring = RingChecker()
    private var crossing = CrossingChecker()
    private var starts = StartChecker()
    private var pace = PushRateChecker()
    /// Codes that were presented and are not answered, by the connection that asked.
    private(set) var codes: [PeerID: CodeChecker.Use] = [:]
    private var code = CodeChecker()
    private var channel = ChannelChecker()
    private var browser = BrowserChecker()
    private var lastPlanned = PushID(rawValue: 0)
    /// Offset of the relay's clock at its last start; it may have been set since.
    private var wallOffset: Int64 = 0

    init(world: World, phones: Int, others: some Sequence<Phone.Reach>, hasChannels: Bool) {
        self.world = world
        self.hasChannels = hasChannels
        apns = SimulatedAPNs(world: world)
        for (index, reach) in (Array(repeating: .app, count: phones) + others).enumerated() {
            self.phones.append(Phone(world: world, index: index, apns: apns, reach))
        }
    }

    func start() {
        for phone in phones { world.after(world.dice.within(0...3_000)) { _ in phone.start() } }
        world.after(5_000) { [self] _ in lookAtPhases() }
    }

    func calm() { for phone in phones { phone.calm() } }

    // MARK: What the relay does

    /// Called before the relay does anything.
    func relayStarts(after last: PushID) {
        lastPlanned = last
        reserve.relayStarts()
        if world.relay.wallOffset != wallOffset {
            crossing.clockWasSet()
            channel.clockWasSet()
        }
        wallOffset = world.relay.wallOffset
    }

    /// The relay has started and loaded the pushes in flight.
    func started(_ relay: Relay) {
        let reached = Set(relay.planner.knownDevices.lazy.filter { $0.device.address.alerts != nil }.map(\.device.id))
        ring.relayStarted(reaching: reached, wall: world.relay.wall)
        crossing.relayStarted(reaching: reached)
        looked(at: relay)
    }

    func clockWasSet(by jump: Int64) {
        starts.clockWasSet(by: jump)
        if jump < 0 { ring.clockWasSetBack(by: -jump) } else { reserve.clockWasSetForward(by: jump) }
        if world.relay.relay == nil { edge.clockWasSetForward(by: jump, with: phones.flatMap { $0.cards.map(\.address) }) }
    }

    func relayCrashed() {
        presence.relayEnded()
        reserve.relayEnded { self.world.log.holds($0) }
        starts.relayEnded { self.world.log.holds($0) }
        edge.troubled(at: world.now)
        channel.relayEnded()
        ring.relayEnded()
        pace.relayEnded()
        browser.relayEnded()
        codes = [:]
    }

    /// After every input: checks the pushes planned in it against the committed state.
    func looked(at relay: Relay) {
        order.latest = max(order.latest, world.relay.wall)
        let last = relay.planner.lastPush
        guard last > lastPlanned else { return }
        let known = relay.planner.knownDevices
        for order in relay.planner.pushesPlanned(after: lastPlanned) { planned(order, relay, known) }
        lastPlanned = last
    }

    private func planned(_ order: PushIntent, _ relay: Relay, _ known: [KnownDevice]) {
        guard let device = known.first(where: { $0.device.id == order.device })?.device else { return }
        world.trace.note(
            world.now, "relay", "plans", bytes: order.payload,
            "\(order.id.rawValue) \(order.purpose) \(order.device) \(order.session?.rawValue ?? "all") at \(APNsHeaders(order).priority) "
                + String(decoding: order.payload.prefix(300), as: UTF8.self))
        let views = relay.committed
        let concerned = views.filter { order.session == nil || $0.key.session == order.session }
        let isWaitedFor = concerned.contains { $0.approvals.values.contains { $0.stage == .pending } }
        let isFrequent = device.hasFrequentPushes && world.plant != .boastfulPhone
        if let complaint = reserve.planned(order, isWaitedFor: isWaitedFor, isFrequent: isFrequent, at: world.now) {
            world.report(.reserve, complaint)
        }
        if let complaint = starts.planned(order, at: world.now) { world.report(.start, complaint) }
        let called = relay.planner.approvalsCalled(by: order.id)
        if let complaint = presence.planned(order, calling: called, at: world.now) { world.report(.presence, complaint) }
        var mutes = device
        if world.plant == .loudProject { mutes.mutedProjects = Set(views.compactMap(\.state.summary.hostProject)) }
        if let complaint = ring.planned(order, calling: called, to: mutes, committed: concerned) {
            world.report(.ring, complaint)
        }
        let bold = world.plant == .boldNotification ? order.bold : order
        if let complaint = browser.planned(
            bold, to: device,
            order.code.flatMap { code in
                concerned.lazy.compactMap { $0.approvals[code.approval] }.first
            })
        {
            world.report(.browser, complaint)
        }
        var gathers = device
        if world.plant == .impatientDigest { gathers.gathering = .interval(minutes: Gathering.minutesMin) }
        if let complaint = GatheringChecker.planned(order, to: gathers) { world.report(.gathering, complaint) }
        if order.purpose == .update, let faces = CardFace.expected(order.session, device, views, at: order.plannedAt),
            let face = CardFace(order.payload), face != faces
        {
            world.report(.edge, "push \(order.id.rawValue) shows \(face), and committed is \(faces)")
        }
    }

    /// Checks a push that is on disk and about to be sent.
    func ordered(_ order: PushIntent) {
        guard world.log.holds(order) else {
            return world.report(.durability, "push \(order.id.rawValue) is sent before it is on disk")
        }
        var order = order
        if world.plant == .backdatedPush, order.purpose == .update { order = order.backdated }
        watch(order)
        if world.plant == .swallowedPush && order.purpose == .update
            || world.plant == .swallowedCrossing && CrossingChecker.isOne(order)
        {
            let accepted = PushOutcome.accepted(order.environment, channel: nil)
            return world.relay.inThisLife(after: 5) { $0.feed(.pushAnswered(order.id, accepted)) }
        }
        if world.plant == .restlessCard, order.purpose == .end { watch(order.goingOn) }
        if world.plant == .doubleStart, order.purpose == .start, let complaint = starts.planned(order.again, at: world.now) {
            world.report(.start, complaint)
        }
        apns.take(order)
    }

    private func watch(_ order: PushIntent) {
        world.trace.note(world.now, "relay", "pushes", "\(order.id.rawValue) \(order.purpose) to \(order.device)")
        let card = apns.card(of: order)
        if let card, let complaint = self.order.ordered(order, card) { world.report(.order, complaint) }
        if world.plant != .swallowedPush, let card { edge.ordered(order, card) }
        for _ in 0..<(world.plant == .hastyCard ? 80 : 1) {
            if let card, let complaint = pace.ordered(order, card, at: world.now) { world.report(.pace, complaint) }
        }
        if let complaint = ring.ordered(order, at: world.now, wall: world.relay.wall) { world.report(.ring, complaint) }
        if let complaint = crossing.ordered(order) { world.report(.crossing, complaint) }
        let name = order.target.channel
        if let complaint = channel.ordered(
            order, isDeleted: apns.isDeleted(name), isLost: apns.isLost(name), isListenedTo: isListenedTo(name))
        {
            world.report(.channel, complaint)
        }
        if order.code != nil { code.ordered(order) }
    }

    private func isListenedTo(_ channel: String?) -> Bool {
        guard let channel else { return false }
        return phones.contains { $0.cards.contains { $0.channel == channel && $0.state == .active } }
    }

    /// The relay has written this to disk.
    func stored(_ batch: LogBatch) {
        channel.stored(batch)
        crossing.stored(batch)
        starts.stored(batch)
    }

    func answered(_ order: PushIntent, _ outcome: PushOutcome) {
        world.trace.note(world.now, "apns", "answers", "\(order.id.rawValue) \(outcome)")
        if let card = apns.card(of: order) {
            self.order.answered(order, card, outcome)
            edge.answered(order, card, outcome, at: world.now)
            pace.answered(card, outcome)
        }
        ring.answered(order, outcome)
        crossing.answered(order, outcome)
        // The person may have looked for less time than there is between two checks.
        if presence.isPresent(order.device, at: world.now) { crossing.spared(order.device) }
        if case .accepted = outcome, order.purpose == .alert, order.replaces == "digest" { crossing.digested(order.device) }
        channel.answered(order, outcome, at: world.relay.wall)
        starts.answered(order, outcome)
        browser.answered(order, outcome)
        let isUnheard = world.plant == .unheardGoodbye && order.service == .web
        world.relay.feed(
            .pushAnswered(order.id, isUnheard ? .accepted(order.environment, channel: nil) : outcome))
    }

    // MARK: What phones say

    /// Returns false if the relay does not get the message.
    func received(_ message: ClientMessage, on connection: Connection) -> Bool {
        let known = world.relay.relay?.planner.knownDevices ?? []
        presence.heard(message, on: connection.id, of: world.phone(connection).identity.client.id, known, at: world.now)
        guard case .command(_, let command) = message else { return true }
        switch command {
        case .presence: return world.plant != .unheardPresence
        case .device(let device):
            crossing.registered(device)
            browser.registered(device)
        case .card(let device, let report):
            starts.reported(report, by: device)
            let address = world.phone(connection).address(of: report.card)
            order.reported(report, at: address)
            let isListener = address != report.card && (report.state == .active || report.state == .stale)
            edge.reported(address, isListener: isListener, at: world.now)
            pace.disturbed([address])
            channel.reported(report, by: device, isListener: isListener)
        case .forget(let device):
            starts.forgot(device)
            channel.forgot(device)
            ring.forgot(device)
            crossing.forgot(device)
            reserve.forgot(device)
            order.forgot(apns.tokens.values.compactMap { if case .card(let card) = $0.kind { card } else { nil } })
        default: break
        }
        return true
    }

    // MARK: Codes

    func present(_ push: PushID) {
        guard world.relay.isUp, let order = code.orders[push] else { return }
        let verdict: Decision.Verdict = world.dice.chance(0.6) ? .allow : .deny(message: nil)
        guard let asked = order.code,
            let log = world.log.sessions[SessionKey(workspace: order.workspace, session: asked.session)],
            log.state != nil,
            let approval = try? world.log.approval(
                asked.approval, of: SessionKey(workspace: order.workspace, session: asked.session))
        else {
            return
        }
        let decide = DecideCommand(
            session: asked.session, approval: asked.approval, digest: approval.request.digest, verdict: verdict)
        world.lastConnection += 1
        let peer = PeerID(rawValue: PeerID.firstCommandPeer.rawValue + world.lastConnection)
        let use = CodeChecker.Use(command: CommandID(world.name("n"))!, push: push, decide: decide)
        codes[peer] = use
        code.used(use)
        world.freedom.intended(decide)
        world.agents.intended(decide)
        world.trace.note(world.now, "phone", "uses code", "\(push.rawValue) for \(asked.approval)")
        var told = push
        if world.plant == .swappedCode, let other = code.other(than: push) { told = other }
        world.relay.feed(.codePresented(peer, use.command, told, verdict))
        // A sender gives up after this time.
        world.relay.inThisLife(after: 30_000) { process in process.world.pushes?.hangUp(peer) }
    }

    private func hangUp(_ peer: PeerID) {
        if codes.removeValue(forKey: peer) != nil { world.relay.feed(.disconnected(peer)) }
    }

    func sent(to peers: [PeerID]) {
        if peers.contains(where: { codes[$0] != nil }) {
            world.report(.code, "a code is answered with something else than a reply")
        }
    }

    func answered(_ reply: Reply, to command: CommandID, of peer: PeerID) {
        guard let use = codes[peer] else { return }
        if let complaint = code.orders[use.push].flatMap({ browser.replied(reply, to: use.decide, with: $0) }) {
            world.report(.browser, complaint)
        }
        guard command == use.command else { return world.report(.code, "a code is answered with the reply to another command") }
        let key = SessionKey(workspace: World.workspace.id, session: use.decide.session)
        let stored = world.log.sessions[key]
        if let complaint = world.decisions.replied(
            reply, to: use.command, use.decide, winner: stored?.decisions[use.decide.approval], isRemoved: stored?.state == nil)
        {
            world.report(world.plant == .swappedCode ? .code : .decision, complaint)
        }
        world.relay.inThisLife(after: 0) { process in process.world.pushes?.hangUp(peer) }
    }

    // MARK: The end

    private func lookAtPhases() {
        world.after(5_000) { [self] _ in lookAtPhases() }
        guard let relay = world.relay.relay else { return }
        let views = relay.committed
        for known in relay.planner.knownDevices {
            if presence.isPresent(known.device.id, at: world.now) {
                let cards = known.cards.compactMap(\.address)
                edge.spared(cards, at: world.now)
                pace.disturbed(cards)
                crossing.spared(known.device.id)
            }
        }
        channel.looked(at: relay.planner.knownChannels, at: world.now)
        if let complaint = edge.phase(relay.planner.knownDevices, views, at: world.now) { world.report(.phase, complaint) }
    }

    func checkQuiet(_ relay: Relay) {
        let views = relay.committed
        for known in relay.planner.knownDevices {
            guard let phone = phones.first(where: { $0.device.id == known.device.id }) else { continue }
            if let complaint = edge.quiet(phone, known, views) { return world.report(.edge, complaint) }
            if let complaint = GatheringChecker.quiet(known, at: world.relay.wall) {
                return world.report(.gathering, complaint)
            }
            let quietMinute = world.relay.wall / 60_000 % 1_440
            if let complaint = crossing.quiet(known.device) { return world.report(.crossing, complaint) }
            var wakes = known.device
            if world.plant == .silentRisk { wakes.quiet?.exceptRisks = true }
            if let complaint = ring.quiet(wakes, views, minute: quietMinute) { return world.report(.ring, complaint) }
        }
        checkCodes()
        checkChannels(relay)
    }

    func checkSettled(_ relay: Relay) {
        for known in relay.planner.knownDevices {
            guard let phone = phones.first(where: { $0.device.id == known.device.id }) else { continue }
            if let complaint = edge.quiet(phone, known, relay.committed) { return world.report(.edge, complaint) }
        }
        checkCodes()
        checkChannels(relay)
    }

    private func checkChannels(_ relay: Relay) {
        let kept = Set(apns.channels.filter { !$0.value.isDeleted }.keys)
        if let complaint = channel.quiet(kept, relay.planner.knownChannels, at: world.now) { world.report(.channel, complaint) }
    }

    private func checkCodes() {
        for key in world.log.order {
            for (approval, decision) in world.log.sessions[key]?.decisions ?? [:] {
                if let complaint = code.decided(approval, decision) { return world.report(.code, complaint) }
            }
        }
    }
}

extension KnownDevice.KnownCard {
    /// The same as `LiveCard.address`; nil if the card cannot be reached.
    var address: CardID? { channel.flatMap { CardID($0) } ?? (token == nil ? nil : id) }
}

extension PushIntent.Target {
    fileprivate var channel: String? {
        switch self {
        case .broadcast(let name), .deleteChannel(let name): name
        case .device, .makeChannel: nil
        }
    }
}

extension PushIntent {
    fileprivate var backdated: PushIntent {
        var order = self
        order.payload = Array("{\"aps\":{\"timestamp\":1,\"content-state\":{}}}".utf8)
        return order
    }

    fileprivate var bold: PushIntent {
        var order = self
        let text = String(decoding: payload, as: UTF8.self)
        let parts = text.split(separator: #""decisions":["deny"]"#, maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { order.payload = Array((parts[0] + #""decisions":["deny","allow"]"# + parts[1]).utf8) }
        return order
    }

    fileprivate var goingOn: PushIntent {
        var order = self
        order.purpose = .update
        return order
    }

    fileprivate var again: PushIntent {
        var order = self
        order.id = PushID(rawValue: id.rawValue + 1_000_000)
        return order
    }
}

extension PushOutcome {
    /// For a push that had no outcome when the last run of the relay ended.
    static let notRepeated = unknown("the relay that started had no way to send it again")
}
