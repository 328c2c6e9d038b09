import PushPlanner
import RelayModel
import RelayProtocol

/// A phone: an app with tokens and cards, or a browser with the page, and a person who looks at it and away, mostly without a
/// report of that.
final class Phone {
    private enum Waiting {
        case workspace
        case device(Device)
        case card(CardReport)
        case rest
    }

    private unowned let world: World
    let index: Int
    let identity: ClientIdentity
    private(set) var device: Device
    private(set) var cards: [LiveCard] = []
    private(set) var isForeground = false
    private var connection: Connection?
    private var isGreeted = false
    private var isRegistered = false
    private var waiting: [CommandID: Waiting] = [:]
    private var live: Set<SessionID> = []
    private var pending: [ApprovalID: SessionID] = [:]
    /// Alerts on the Lock Screen that carry a code.
    private var codes: [PushID] = []
    private var installs = 0
    /// Number of background runs so far.
    private var wakes = 0

    init(world: World, index: Int, apns: SimulatedAPNs, _ reach: Reach) {
        self.world = world
        self.index = index
        let name = "phone\(index)"
        identity = ClientIdentity(
            workspace: World.workspace, client: Named(id: ClientID(name)!, name: name), scope: Scope(of: .client))
        device =
            switch reach {
            case .app: .app(in: world, index, apns)
            case .browser: .browser(in: world, index, apns)
            case .topic: .topic(in: world, index, apns)
            case .receiver: .receiver(in: world, index, apns)
            }
        // A person rarely sets quiet hours, and more rarely is asked in them.
        if world.plant == .silentRisk { device.quiet = QuietHours(from: 0, to: 1_439, timeZone: "UTC") }
    }

    var name: String { "phone\(index)" }
    private var isApp: Bool { device.address.service == .apns }
    private var apns: SimulatedAPNs { world.pushes!.apns }

    // MARK: Life

    func start() {
        wake(for: 10_000)
        goOn()
    }

    /// The person does something at intervals.
    private func goOn() {
        world.after(world.dice.within(1_000...2 * max(world.shape.pace, 5_000))) { [self] world in
            guard !world.isCalm else { return }
            act()
            goOn()
        }
    }

    private func act() {
        switch world.dice.below(14) {
        case 0, 1, 2: look()
        case 3, 4: lookAway()
        case 5: goSilent()
        case 6: die()
        case 7: rotate()
        case 8: change()
        case 9: dismiss()
        case 10: beginCard()
        case 11, 12: useCode()
        default: if world.dice.chance(0.15) { reinstall() } else { wake(for: 15_000) }
        }
    }

    /// All faults have stopped, and the person is not looking.
    func calm() {
        isForeground = false
        if world.dice.chance(0.5) {
            // A launch: the app reports everything once more.
            isRegistered = false
            for place in cards.indices { cards[place].isTold = false }
        }
        // An app keeps one card for each session, and ends the others.
        for place in cards.indices.dropLast() where cards[place].state == .active {
            if cards[(place + 1)...].contains(where: { $0.state == .active && $0.session == cards[place].session }) {
                end(place, .ended)
            }
        }
        if isGreeted { tellPresence() }
        stayUp()
    }

    private func stayUp() {
        connect()
        tellAll()
        world.after(2_000) { [self] _ in stayUp() }
    }

    private func look() {
        isForeground = true
        connect()
        if isGreeted { tellPresence() }
        ping(connection)
    }

    private func ping(_ pinged: Connection?) {
        world.after(world.dice.within(4_000...16_000)) { [self] _ in
            guard isForeground, let connection else { return }
            if connection === pinged, isGreeted { send(.ping, .rest) }
            ping(connection)
        }
    }

    private func lookAway() {
        guard isForeground else { return }
        isForeground = false
        if isGreeted { tellPresence() }
        if world.dice.chance(0.5) { hangUp(after: 3_000) }
    }

    /// The system suspends the app: it reports nothing more, and the socket stays open.
    private func goSilent() {
        isForeground = false
        if let connection, world.dice.chance(0.6) { world.silence(connection) }
    }

    private func die() {
        isForeground = false
        if let connection { world.peerIsGone(connection, silently: false) }
        world.trace.note(world.now, name, "kills its app")
    }

    func address(of card: CardID) -> CardID { cards.first { $0.id == card }?.address ?? card }

    /// The system lets the app run for a while, unseen.
    private func wake(for time: Int64) {
        connect()
        wakes += 1
        let wake = wakes
        world.after(time) { [self] world in if wake == wakes, !isForeground, !world.isCalm { hangUp(after: 0) } }
    }

    private func hangUp(after wait: Int64) {
        world.after(wait) { [self] world in
            if !isForeground, !world.isCalm, let connection { world.peerCloses(connection, .goingAway) }
        }
    }

    private func rotate() {
        switch device.address {
        case .apns: break
        case .web:
            apns.kill(device.address.alerts)
            device.address = .web(apns.makeSubscription(for: index))
            isRegistered = false
            return wake(for: 8_000)
        case .ntfy, .receiver: return
        }
        switch world.dice.below(3) {
        case 0:
            apns.kill(device.address.alerts)
            device.address.alerts = apns.makeToken(.alert, for: index)
        case 1:
            apns.kill(device.address.starts)
            device.address.starts = apns.makeToken(.start, for: index)
        default:
            guard let place = cards.lastIndex(where: { $0.state == .active && $0.token != nil }) else { return }
            apns.kill(cards[place].token)
            cards[place].token = apns.makeToken(.card(cards[place].id), for: index)
            cards[place].isTold = false
        }
        isRegistered = false
        wake(for: 8_000)
    }

    private func change() {
        switch world.dice.below(6) {
        case 0...2 where !isApp: device.allowsOnLockScreen.toggle()
        case 0: if world.plant != .boastfulPhone { device.hasFrequentPushes.toggle() }
        case 1: device.cards = world.dice.pick(CardMode.allCases)
        case 2: device.starts = world.dice.pick(CardStarts.allCases)
        case 3: device.kinds = world.dice.chance(0.5) ? [.error, .finished] : Set(AlertKind.allCases)
        case 4:
            let sessions = live.sorted { $0.rawValue < $1.rawValue }
            device.muted = sessions.isEmpty || world.dice.chance(0.5) ? [] : [world.dice.pick(sessions)]
            let project = HostProject(
                host: HostID(world.dice.pick(world.hosts).name)!, project: world.dice.pick(HostProcess.projectNames))
            device.mutedProjects = world.dice.chance(0.5) ? [] : [project]
        default:
            let hour = Int64(world.dice.below(24)) * 60
            device.quiet =
                world.dice.chance(0.6)
                ? nil
                : QuietHours(
                    from: hour, to: (hour + 600) % 1_440, timeZone: "UTC", exceptRisks: world.dice.chance(0.5))
            let gatherings: [Gathering?] = [nil, .interval(minutes: Gathering.minutesMin), .daily(at: hour, timeZone: "UTC")]
            device.gathering = gatherings[Int(hour / 60) % gatherings.count]
        }
        isRegistered = false
        tellAll()
        wake(for: 8_000)
    }

    /// Another install of the app: a new device to the relay, with the same tokens from the system.
    private func reinstall() {
        world.trace.note(world.now, name, "is installed anew")
        if isGreeted, world.dice.chance(0.5) { send(.forget(device.id), .rest) }
        for place in cards.indices where cards[place].state == .active { end(place, .ended) }
        cards = []
        installs += 1
        device.id = DeviceID("\(name)-\(installs % 3)")!
        isRegistered = false
        die()
        wake(for: 15_000)
    }

    // MARK: Cards

    private func dismiss() {
        guard let place = cards.lastIndex(where: { $0.state == .active }) else { return }
        world.trace.note(world.now, name, "dismisses", "\(cards[place].id)")
        end(place, .dismissed)
        if world.dice.chance(0.5) { wake(for: 5_000) }
    }

    private func end(_ place: Int, _ state: CardReport.State) {
        cards[place].state = state
        cards[place].isTold = false
        let token = cards[place].token
        world.after(world.dice.within(0...2_000)) { [self] _ in apns.kill(token) }
        tellAll()
    }

    /// The app starts a card by itself, while the person is looking.
    private func beginCard() {
        guard isForeground, device.cards != .off else { return }
        if device.cards == .aggregate { return addCard(nil) }
        let free = live.filter { session in !cards.contains { $0.session == session && $0.state == .active } }
        guard !free.isEmpty else { return }
        addCard(world.dice.pick(free.sorted { $0.rawValue < $1.rawValue }))
    }

    private func addCard(_ session: SessionID?, listeningTo channel: String? = nil) {
        guard !cards.contains(where: { $0.session == session && $0.state == .active }) else { return }
        var card = LiveCard(id: CardID(world.name("card"))!, session: session, channel: channel)
        card.isLost = apns.isDeleted(channel)
        cards.append(card)
        if cards.count > 30 { cards.removeFirst(10) }
        world.trace.note(world.now, name, "shows a card", "\(card.id) of \(session?.rawValue ?? "all")")
        tellAll()
        if let channel { return apns.listens(to: channel) }
        // The system makes the token soon, late, or never.
        if world.dice.chance(0.1) { return }
        let wait = world.dice.chance(0.2) ? world.dice.within(10_000...400_000) : world.dice.within(50...1_500)
        world.after(wait) { [self] _ in
            guard let place = cards.firstIndex(where: { $0.id == card.id && $0.state == .active }) else { return }
            cards[place].token = apns.makeToken(.card(card.id), for: index)
            cards[place].isTold = false
            if connection == nil { wake(for: 5_000) }
            tellAll()
        }
    }

    func delivered(_ order: PushIntent, _ kind: SimulatedAPNs.Kind) {
        world.trace.note(world.now, name, "gets", "\(order.purpose) \(order.id.rawValue)")
        switch kind {
        case .alert:
            if order.code != nil { codes.append(order.id) }
            if codes.count > 8 { codes.removeFirst() }
        case .start:
            guard order.device == device.id else { return }
            let aps = try? JSONDocument(parsing: order.payload).root.required("aps")
            addCard(order.session, listeningTo: try? aps?.optionalString("input-push-channel"))
            if world.dice.chance(0.8) { wake(for: 20_000) }
        case .card(let id):
            if let place = cards.firstIndex(where: { $0.id == id && $0.state == .active }) { show(order, at: place) }
        }
    }

    /// A broadcast arrives.
    func heard(_ order: PushIntent, on channel: String) {
        for place in cards.indices where cards[place].channel == channel && cards[place].state == .active {
            show(order, at: place)
        }
    }

    private func show(_ order: PushIntent, at place: Int) {
        guard let timestamp = try? JSONDocument(parsing: order.payload).root.required("aps").integer("timestamp"),
            timestamp > cards[place].timestamp
        else {
            return
        }
        cards[place].timestamp = timestamp
        guard order.purpose == .end else { return }
        end(place, .ended)
        if world.dice.chance(0.5) { wake(for: 5_000) }
    }

    private func useCode() {
        guard !codes.isEmpty else { return }
        world.pushes?.present(world.dice.pick(codes))
        if world.dice.chance(0.3) { world.pushes?.present(world.dice.pick(codes)) }
    }

    // MARK: The link

    private func connect() {
        if connection == nil { connection = world.connect(.phone(index)) }
    }

    func opened(_ connection: Connection) {
        guard self.connection === connection else { return world.peerCloses(connection, .goingAway) }
        world.sendToRelay(ClientMessage.hello(Hello(software: "simulated")).bytes, on: connection)
    }

    func closed(_ connection: Connection) {
        guard self.connection === connection else { return }
        self.connection = nil
        isGreeted = false
        waiting = [:]
        guard isForeground || world.isCalm else { return }
        world.after(world.dice.within(200...3_000)) { [self] world in if isForeground || world.isCalm { connect() } }
    }

    func received(_ message: MessageToClient, on connection: Connection) {
        guard self.connection === connection else { return }
        switch message {
        case .welcome:
            isGreeted = true
            send(.subscribe(nil, after: nil), .workspace)
            tellAll()
            tellPresence()
        case .workspaceSnapshot(let summaries, let approvals, _, _):
            live = []
            pending = [:]
            for summary in summaries { took(summary) }
            for approval in approvals { took(approval) }
        case .summary(let summary): took(summary)
        case .approval(let approval): took(approval)
        case .removed(let session): live.remove(session)
        case .reply(let command, let reply): replied(reply, to: command)
        default: break
        }
    }

    private func took(_ summary: Summary) {
        if summary.endedAt == nil { live.insert(summary.session) } else { live.remove(summary.session) }
    }

    private func took(_ approval: Approval) {
        guard approval.stage == .pending else { return pending[approval.id] = nil }
        let isNew = pending.updateValue(approval.session, forKey: approval.id) == nil
        guard isNew, isForeground, isRegistered, world.dice.chance(0.7) else { return }
        world.after(world.dice.within(0...2_500)) { [self] _ in
            if isForeground, isGreeted { send(.seen(approval.session, approval.id), .rest) }
        }
    }

    private func send(_ command: ClientCommand, _ purpose: Waiting) {
        guard let connection else { return }
        let id = CommandID(world.name("p"))!
        waiting[id] = purpose
        world.sendToRelay(ClientMessage.command(id, command).bytes, on: connection)
    }

    private func tellPresence() {
        let session = live.min { $0.rawValue < $1.rawValue }
        send(.presence(isForeground: isForeground, session: isForeground ? session : nil, device: device.id), .rest)
    }

    /// Reports everything that the relay has not confirmed.
    private func tellAll() {
        guard isGreeted else { return }
        let isUnderWay = waiting.values.contains { if case .device(device) = $0 { true } else { false } }
        if !isRegistered, !isUnderWay { send(.device(device), .device(device)) }
        for card in cards where !card.isTold {
            let report = CardReport(card: card.id, session: card.session, token: card.token, state: card.state)
            let isUnderWay = waiting.values.contains { if case .card(report) = $0 { true } else { false } }
            guard !isUnderWay, isRegistered else { continue }
            for _ in 0..<(world.dice.chance(0.1) ? 2 : 1) { send(.card(device.id, report), .card(report)) }
        }
    }

    private func replied(_ reply: Reply, to command: CommandID) {
        guard let asked = waiting.removeValue(forKey: command) else { return }
        let isDone = reply == .done
        switch asked {
        case .device(let told):
            if isDone, told == device {
                isRegistered = true
                tellPresence()
                tellAll()
            }
        case .card(let report):
            guard let place = cards.firstIndex(where: { $0.id == report.card }) else { return }
            if isDone { cards[place].isTold = cards[place].state == report.state && cards[place].token == report.token }
            // The session is gone, so that the card's content can no longer be checked.
            if case .failed(let notice, _) = reply, notice.code == "notFound" {
                cards[place].isTold = true
                cards[place].isRefused = true
            }
        case .workspace, .rest: break
        }
        if !isDone, !world.isCalm { world.after(1_000) { [self] _ in tellAll() } }
    }
}
