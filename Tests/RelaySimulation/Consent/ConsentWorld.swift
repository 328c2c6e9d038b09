import Consent
import HostCore
import RelayProtocol

/// Signed consent in a world: the hosts that require it, a device for each client, and a relay that forges, replays and swaps.
final class ConsentWorld {
    struct SignedHost {
        let identity: ConsentIdentity
        let pins: SimulatedPins
        /// Nil for a host without rules.
        let rules: GuardingRules?
        var lives = 0
    }

    struct Device {
        let identity: ConsentIdentity
        let name: String
        /// Count of its last command, whichever host it was for.
        var count: Int64 = 0
        var id: KeyID { identity.id }
    }

    unowned let world: World
    var dice: Dice
    private(set) var hosts: [Int: SignedHost] = [:]
    /// The device of each client, in the same order.
    var devices: [Device]
    /// A device that no host trusts.
    let stranger = Device(identity: SimulatedKeys.identity("stranger"), name: "stranger")
    var checker = ConsentChecker()
    /// The latest messages that the relay has sent to hosts, and could send again.
    var captured: [MessageToHost] = []
    private(set) var forgeryCount = 0
    /// Letters by which devices are admitted and removed; nil until the setup is complete.
    private(set) var vouching: VouchingWorld?
    /// True while the host receives a vouch that it must not refuse.
    private var isHonestVouch = false
    private var issued: Int64 = 0
    /// The command that a host is receiving and must not refuse; nil for none.
    private var honest: CommandID?

    private static let capturedMax = 64

    init(world: World, seed: UInt64) {
        self.world = world
        dice = Dice(seed: seed &+ 0x94D0_49BB)
        devices = world.clients.map { Device(identity: SimulatedKeys.identity($0.name), name: $0.name) }
        for host in world.hosts where world.plant?.isOfConsent == true || dice.chance(0.75) { sign(host) }
        let vouching = VouchingWorld(self, seed: seed)
        self.vouching = vouching
        for (index, host) in hosts { vouching.saved(host.pins.book, of: index) }
    }

    private func sign(_ host: HostProcess) {
        var book = PinBook(generation: SimulatedKeys.fixed(host.name))
        for device in devices where dice.chance(0.8) {
            let may = dice.chance(0.15) ? dice.pick([[.answer], [.allow], [.prompt]]) : Set(PinRight.allCases)
            let pin = Pin(
                sign: device.identity.sign, box: device.identity.box, name: device.name, since: 0, by: .terminal, may: may,
                .simulated)
            do throws(ConsentError) { try book.trust(pin) } catch { preconditionFailure("a new book has room: \(error)") }
            checker.letIn(device.id, by: host.index)
        }
        let identity = SimulatedKeys.identity(host.name)
        let isGuarded = !world.hasRealAgents && (world.plant == .skippedPasskey || dice.chance(0.3))
        if isGuarded { givePasskeys(&book, of: identity) }
        hosts[host.index] = SignedHost(
            identity: identity, pins: SimulatedPins(book, of: host, in: world), rules: isGuarded ? GuardingRules() : nil)
        _ = checker.saved(book, of: host.index)
    }

    // MARK: Hosts

    /// The consent machine for one run of the host's daemon; nil if the host requires no signatures. `notes` are those in its
    /// spool.
    func consent(of host: HostProcess, _ notes: [String: [UInt8]]) -> HostConsent? {
        guard let signed = hosts[host.index] else { return nil }
        hosts[host.index]?.lives += 1
        let seed = SimulatedHash.bytes(Array("\(host.name) \(signed.lives)".utf8))
        let book = signed.pins.open()
        return HostConsent(
            signed.identity, book, .signed, epochs: signed.pins.openEpochs(notes), on: signed.pins, seed: seed, .simulated)
    }

    func rules(of host: HostProcess) -> GuardingRules? { hosts[host.index]?.rules }
    func isSigned(_ host: Int) -> Bool { hosts[host] != nil }
    func pins(of host: Int) -> SimulatedPins? { hosts[host]?.pins }
    func key(of host: Int) -> KeyID? { hosts[host]?.identity.id }
    var signedHosts: [HostProcess] { world.hosts.filter { isSigned($0.index) } }

    func device(_ id: KeyID) -> Device? { (devices + [stranger]).first { $0.id == id } }

    /// The host's disk has accepted these.
    func recorded(_ items: [Spool.Item], of host: HostProcess) {
        guard isSigned(host.index) else { return }
        for case .event(_, let bytes, isKept: true) in items {
            if let shown = ShownApproval(bytes, by: host.index) { checker.showed(shown) }
        }
    }

    func saved(_ book: PinBook, of host: HostProcess) {
        if let complaint = checker.saved(book, of: host.index) { world.report(.consent, complaint) }
        vouching?.saved(book, of: host.index)
    }

    // MARK: Devices sign

    /// Signs a decision like the page does, over the text that it shows. A device that was shown something else signs that; the
    /// relay that deceived it then states the right digest beside the signature.
    func signed(_ decide: DecideCommand, by client: Int) -> DecideCommand {
        guard let shown = checker.shown[decide.approval] else { return decide }
        issued += 1
        let device = devices[client]
        var statement = shown.statement(decide.verdict, at: issued, by: device.id, digest: decide.digest)
        if dice.chance(world.faults.fooledDevice) { fool(&statement) }
        var signed = decide
        signed.signature = sign(statement, by: device, confirms: shown.wantsPasskey(for: statement.deed))
        return signed
    }

    func sign(_ statement: DecisionStatement, by device: Device, confirms: Bool = false) -> String {
        var (text, isConfirmed) = (statement.signed(by: device.identity), false)
        if confirms { (text, isConfirmed) = perhapsConfirmed(text, statement, by: device) }
        checker.signed(statement, text.text, isConfirmed: isConfirmed)
        return text.text
    }

    private func fool(_ statement: inout DecisionStatement) {
        switch dice.below(7) {
        case 0: statement.host = stranger.id
        case 1: statement.session = otherSession
        case 2: statement.approval = otherApproval
        case 3: statement.shown = SimulatedKeys.fixed("another text")
        case 4: statement.digest = Agent.foreignDigest
        case 5: statement.deed = statement.deed == .deny ? .allow : .deny
        default: statement.detail = statement.detail.isEmpty ? SimulatedHash.bytes([1]) : []
        }
    }

    private var otherApproval: ApprovalID {
        checker.approvals.isEmpty ? ApprovalID("another")! : dice.pick(checker.approvals)
    }
    var otherSession: SessionID {
        checker.shown[otherApproval]?.text.session ?? SessionID("another")!
    }

    /// `key` is the one in the session's offer.
    func signed(_ request: SteeringRequest, for key: HostKeyID?, by client: Int) -> SteeringRequest {
        guard let key, let host = KeyID(text: key.rawValue), request.action.needsSignature else { return request }
        devices[client].count += 1
        var command = SignedCommand(
            host: host, session: request.session, command: request.command, action: request.action,
            count: devices[client].count, device: devices[client].id)
        if dice.chance(world.faults.fooledDevice) { fool(&command) }
        var signed = request
        signed.signature = sign(command, by: devices[client])
        return signed
    }

    func sign(_ command: SignedCommand, by device: Device) -> String {
        guard
            let text = SignatureText(
                device: device.id, number: command.count, signature: device.identity.signature(command.statement.bytes))
        else { preconditionFailure("a signature has 64 bytes, and no count is negative") }
        checker.signed(command, text.text)
        return text.text
    }

    private func fool(_ command: inout SignedCommand) {
        switch dice.below(4) {
        case 0: command.host = stranger.id
        case 1: command.session = otherSession
        case 2: command.command = CommandID("another")!
        default: command.action = other(than: command.action)
        }
    }

    func other(than action: SteeringAction) -> SteeringAction {
        switch action {
        case .prompt(var prompt):
            prompt.text = "something else"
            return .prompt(prompt)
        case .launch(var launch):
            launch.text = "something else"
            return .launch(launch)
        case .ruleOff, .ruleAdd, .ruleChange: return .ruleAdd(SimulatedRule.stolen.text)
        default: return .askAll(false)
        }
    }

    /// The decision with the digest that the host's desk knows, if it is for the one that was shown.
    func inner(_ decide: DecideCommand) -> DecideCommand {
        guard let shown = checker.shown[decide.approval], shown.text.request.digest == decide.digest,
            let asked = world.freedom.questions[decide.approval]
        else { return decide }
        var inner = decide
        inner.digest = asked.digest
        return inner
    }

    // MARK: Messages to hosts

    /// Sends the host the relay's message, and what a malicious relay adds.
    func tell(_ message: MessageToHost, to host: HostProcess) {
        let forged = dice.chance(world.faults.forgery) ? forgery(of: message, for: host) : nil
        let isFirst = dice.chance(0.5)
        if let forged, isFirst { deliver(forged, to: host, isForged: true) }
        deliver(message, to: host)
        if let forged, !isFirst { deliver(forged, to: host, isForged: true) }
        capture(message)
    }

    private func capture(_ message: MessageToHost) {
        switch message {
        case .decision, .steer, .letter: captured.append(message)
        default: return
        }
        if captured.count > Self.capturedMax { captured.removeFirst() }
    }

    func deliver(_ message: MessageToHost, to host: HostProcess, isForged: Bool = false) {
        guard isSigned(host.index) else { return host.tell(.received(message)) }
        if isForged {
            forgeryCount += 1
            world.trace.note(world.now, host.name, "gets forged", String(decoding: message.bytes.prefix(400), as: UTF8.self))
        }
        honest = came(message, to: host)
        if case .letter(let letter, _) = message { isHonestVouch = vouching?.came(letter.bytes, to: host) == true }
        host.tell(.received(altered(message, at: host)))
        (honest, isHonestVouch) = (nil, false)
    }

    /// A message reaches the host. Returns the command in it that the host must not refuse, if any.
    private func came(_ message: MessageToHost, to host: HostProcess) -> CommandID? {
        guard let pins = pins(of: host.index), let key = key(of: host.index) else { return nil }
        switch message {
        case .decision(let session, let approval, let digest, let decision):
            guard let text = decision.signature, let statement = checker.decisions[text] else { return nil }
            let right: Set<PinRight> = statement.deed == .answer ? [.answer] : [.allow]
            let isConfirmed = checker.isConfirmed(text)
            if pins.mayTrust(statement.device, to: right) { checker.came(statement, isConfirmed, to: host.index) }
            guard let shown = checker.shown[approval], shown.host == host.index,
                session == shown.text.session, digest == shown.text.request.digest,
                statement == shown.statement(decision.verdict, at: statement.issuedAt, by: statement.device),
                pins.trusts(statement.device, to: right),
                !shown.wantsPasskey(for: statement.deed) || (isConfirmed && pins.hasPasskey(statement.device)),
                host.daemon?.questions.contains(where: { $0.approval == approval }) == true
            else { return nil }
            return decision.command
        case .steer(let request):
            guard let text = request.signature, let signed = checker.commands[text] else { return nil }
            if pins.mayTrust(signed.device, to: signed.action.rights) {
                checker.came(world.sealing?.meaning(of: signed) ?? signed, to: host.index)
            }
            guard
                signed
                    == SignedCommand(
                        host: key, session: request.session, command: request.command, action: request.action,
                        count: signed.count, device: signed.device),
                pins.trusts(signed.device, to: signed.action.rights), pins.isNext(signed.count, of: signed.device),
                world.sealing?.mayOpen(signed, at: host.index) ?? true
            else { return nil }
            return request.command
        default: return nil
        }
    }

    func logged(_ entry: HostLog, at host: HostProcess) {
        if isHonestVouch, case .consent(.letterRefused(_, let reason)) = entry {
            return world.report(.consent, "\(host.name) refuses a vouch that is as it has to be: \(reason)")
        }
        guard let honest else { return }
        switch entry {
        case .consent(.decisionRefused(_, _, honest, let reason)):
            world.report(.consent, "\(host.name) refuses \(honest), which is signed as it has to be: \(reason)")
        case .consent(.steeringRefused(_, let name, let reason)) where name.command == honest && !reason.contains("disk"):
            world.report(.consent, "\(host.name) refuses \(honest), which is signed as it has to be: \(reason)")
        default: break
        }
    }

    // MARK: Agents

    func ran(_ ask: Agent.Ask, offer: String?, at host: Int) {
        guard isSigned(host), offer != nil || !world.freedom.isAllowedByRule(ask.hook) else { return }
        let questions = world.freedom.questions.filter { $0.value.hook == ask.hook }.keys.sorted { $0.rawValue < $1.rawValue }
        if let complaint = checker.ran(ask, offer: offer, questions, of: host) { world.report(.consent, complaint) }
    }

    func took(_ request: SteeringRequest, at host: Int) {
        guard let key = key(of: host) else { return }
        if let complaint = checker.took(request, at: host, key) { world.report(.consent, complaint) }
    }

    func changed(_ action: SteeringAction, at host: Int) {
        guard let key = key(of: host) else { return }
        if let complaint = checker.changed(action, at: host, key) { world.report(.consent, complaint) }
    }

    func began(_ order: LaunchOrder, at host: Int) {
        guard let key = key(of: host) else { return }
        if let complaint = checker.began(order.name, order.launch, at: host, key) { world.report(.consent, complaint) }
    }
}
