package import Consent
package import RelayProtocol

/// Signed consent at a host. Outgoing requests are turned into what a device can sign; incoming decisions reach an agent only if a
/// trusted device signed them; devices come and go by letters and by requests at this machine's terminal.
///
/// Pure but for the disk: a count, a pin or a lost trust is on disk before anything that follows from it.
package struct HostConsent {
    enum Order {
        case respond(HookToken, [UInt8])
        case send(HostMessage)
        case log(ConsentLog)
        /// The host was open until now and is signed: the offers of its sessions have to say so.
        case becameSigned
        /// Devices were added or removed: offers contain keys, and names that depend on them.
        case keysChanged
        /// What this device queued, or decided for a hook that is away, counts no more.
        case distrusted(KeyID)
    }

    private let identity: ConsentIdentity
    private let crypto: ConsentCrypto
    private let disk: any ConsentDisk
    private let limits: ConsentLimits
    private var gate: ConsentGate
    private var desk: TrustDesk
    private var book: PinBook
    private var fresh: FreshBytes
    private var invitation: Invitation?
    private var asks = TrustAsks()
    /// The last letter of each device whose passkey waits to be accepted here, and the client that learns of it.
    private var passkeyAsks: [KeyID: (ask: ConsentHash, client: ClientID)] = [:]
    /// The approvals for which a note is kept.
    private var noted: Set<ApprovalID> = []
    /// Notes of devices that are not on disk yet. By such notes an older file of pins is recognised.
    private(set) var unwritten: [String: [UInt8]] = [:]
    private(set) var isSigned: Bool
    /// The sealing of content; nil for a host whose content is open.
    private var sealing: HostSealing?
    package let key: HostKeyID

    package static let seedBytes = FreshBytes.seedBytes

    /// `seed`: 32 random bytes. `epochs`: those of a signed host that seals its content; nil if its content is open.
    package init(
        _ identity: ConsentIdentity, _ book: PinBook, _ setting: ConsentSetting, epochs: EpochBook? = nil,
        on disk: any ConsentDisk, seed: [UInt8], _ crypto: ConsentCrypto, _ limits: ConsentLimits = ConsentLimits()
    ) {
        precondition(epochs == nil || setting == .signed, "content is sealed for devices that are trusted")
        self.identity = identity
        self.book = book
        self.disk = disk
        self.crypto = crypto
        self.limits = limits
        isSigned = setting == .signed
        gate = ConsentGate(host: identity.id, crypto)
        desk = TrustDesk(identity, crypto)
        fresh = FreshBytes(seed: seed, crypto)
        let sealingSeed = crypto.hmacSHA256(Array("sealing".utf8), seed)
        sealing = epochs.map { HostSealing(identity, $0, on: disk, seed: sealingSeed, crypto) }
        key = HostKeyID(identity.id)
    }

    /// Sets the host's name in its letters, the same as in its `hello`. A name that letters do not permit is left out.
    mutating func isCalled(_ name: String) {
        if ConsentName.isSpelled(name) { desk.name = name }
    }

    // MARK: Over a restart

    private static let notes = "consent."

    static func isNote(_ key: String) -> Bool { key.hasPrefix(notes) }

    /// Returns the notes that are no longer needed. `numbered`: live sessions, with the first number that the relay has not acknowledged.
    /// `isPending`: the approval has not ended.
    mutating func restore(
        from notes: [String: [UInt8]], at now: HostInstant, numbered: [SessionID: Int64] = [:],
        isPending: (ApprovalID) -> Bool
    ) -> [String] {
        var kept: [ApprovalID: [UInt8]] = [:]
        var over: [String] = []
        var pins: [KeyID: PinNote] = [:]
        var epoch: EpochNumber = 0
        for (key, note) in notes where Self.isNote(key) {
            if let device = Self.device(ofNote: key) {
                pins[device] = PinNote(note)
            } else if key == Self.epochNote {
                epoch = EpochNumber(String(decoding: note, as: UTF8.self)) ?? 0
            } else if key == Self.sealedNote, sealing != nil {
                continue
            } else if let session = SessionLines.session(ofNote: key.dropFirst(Self.notes.count)), sealing != nil {
                sealing?.restore(note, of: session)
            } else if let id = ApprovalID(String(key.dropFirst(Self.notes.count))), isPending(id) {
                kept[id] = note
            } else {
                over.append(key)
            }
        }
        noted = Set(kept.keys)
        gate.restore(kept)
        // If this cannot be saved now, it is found again at the next start.
        if book.recall(pins) { try? disk.save(book) }
        if sealing?.isNew == true { epoch = max(epoch, Self.firstEpoch(at: now)) }
        sealing?.trust(book.devices.map(\.id), after: epoch)
        noteEpoch()
        if beginsToSeal(notes) { beginSealing(numbered) }
        return over
    }

    /// True if this host seals, but its last life reported in the open.
    func beginsToSeal(_ notes: [String: [UInt8]]) -> Bool { sealing != nil && notes[Self.sealedNote] == nil }

    private mutating func beginSealing(_ numbered: [SessionID: Int64]) {
        unwritten[Self.sealedNote] = [1]
        for (session, number) in numbered {
            if let (note, facts) = sealing?.begin(session, from: number) { unwritten[Self.notes + note] = facts }
        }
    }

    /// Note of a life of this host that sealed.
    private static let sealedNote = notes + "content/sealed"

    /// The first epoch for new keys: seconds since 2020, so that later epochs have unused numbers even if the keys and all notes of
    /// them are lost.
    private static func firstEpoch(at now: HostInstant) -> EpochNumber {
        EpochNumber(min(max(0, now.wall / 1000 - 1_577_836_800), Int64(EpochNumber.max / 2)))
    }

    // MARK: Notes of devices

    private static let deviceNotes = notes + "device/"

    private static func device(ofNote key: String) -> KeyID? {
        key.hasPrefix(deviceNotes) ? KeyID(text: key.dropFirst(deviceNotes.count)) : nil
    }

    /// Takes over a book that is on disk by now.
    private mutating func keep(_ changed: PinBook) -> [Order] {
        let gone = book.devices.filter { changed[$0.id] == nil }
        for pin in gone { note(.distrusted(since: pin.since), of: pin.id) }
        for pin in changed.devices where book[pin.id]?.count != pin.count { note(.count(pin.count), of: pin.id) }
        book = changed
        sealing?.trust(book.devices.map(\.id))
        noteEpoch()
        return gone.map { .distrusted($0.id) }
    }

    private mutating func note(_ note: PinNote, of device: KeyID) { unwritten[Self.deviceNotes + device.text] = note.bytes }

    private static let epochNote = notes + "epoch"

    /// Notes the epoch. A file of keys that is older than the note was restored, and none of its numbers is used for another key.
    private mutating func noteEpoch() {
        if let epoch = sealing?.epoch { unwritten[Self.epochNote] = Array(String(epoch).utf8) }
    }

    mutating func wrote(_ notes: [String: [UInt8]]) { unwritten = unwritten.filter { notes[$0.key] != $0.value } }

    // MARK: Outward

    /// The effects as they go to disk. A request that can be signed is followed by the note by which its decision is verified; both
    /// are removed together.
    mutating func wrapping(_ effects: [AgentEffect<any Sendable>]) -> [AgentEffect<any Sendable>] {
        guard isSigned || !noted.isEmpty else { return effects }
        return effects.flatMap { effect -> [AgentEffect<any Sendable>] in
            switch effect {
            case .emit(let session, let bytes, let isKept):
                guard isSigned, isKept || sealing != nil, let event = try? Event(stored: bytes) else { return [effect] }
                if let (note, facts) = sealing?.learn(event.head, of: session) {
                    return [effect, .remember(Self.notes + note, facts)]
                }
                guard isKept, case .approvalRequested(let request) = event.head,
                    let shown = gate.requested(
                        event, in: session, salt: fresh.next(),
                        sealedWithin: sealing == nil ? nil : WireLimits.eventBytesMaxToSeal)
                else { return [effect] }
                noted.insert(request.approval)
                return [
                    .emit(session, shown.event.bytes, isKept: true), .remember(Self.note(of: request.approval), shown.note),
                ]
            case .remember(let key, nil):
                guard let id = ApprovalID(key) else { return [effect] }
                // An approval ends without an event if the disk or the relay refused its request.
                sealing?.ended(id)
                guard noted.remove(id) != nil else { return [effect] }
                gate.forget(id)
                return [effect, .remember(Self.note(of: id), nil)]
            default: return [effect]
            }
        }
    }

    private static func note(of approval: ApprovalID) -> String { notes + approval.rawValue }

    /// The offer with what a signed host requires, and the keys by which it is known.
    func marking(_ offer: SteeringOffer) -> SteeringOffer {
        guard isSigned else { return offer }
        var marked = sealing == nil ? offer : offer.sealable
        marked.consent = key
        return marked
    }

    // MARK: Inward

    func decided(
        _ session: SessionID, _ approval: ApprovalID, _ digest: InputDigest, _ decision: Decision
    ) -> ConsentGate.DecisionOutcome {
        guard isSigned else { return .take(digest, decision, by: nil) }
        let outcome = gate.decided(decision, on: approval, in: session, digest: digest, pins: book)
        guard let sealing, case .take(let digest, var taken, let device) = outcome else { return outcome }
        switch sealing.opening.opened(taken.verdict, on: approval, in: session, gate.questions(of: approval)) {
        case .opened(let verdict):
            taken.verdict = verdict
            return .take(digest, taken, by: device)
        case .refused(let refusal): return .refuse(refusal)
        }
    }

    /// Admits a command, or refuses it if it was not signed as it has to be. A valid one is taken once, because its count is on
    /// disk before.
    /// `offer`: the session's, with the names that people know.
    mutating func admit(_ request: SteeringRequest, offered offer: SteeringOffer?) -> SteeringDesk.Admission {
        guard isSigned else { return .take(request) }
        var changed = book
        switch gate.steered(request, pins: &changed) {
        case .pass(let request): return opened(request, offer)
        case .refuse(let refusal): return .refuse(refusal.sentence)
        case .take(let request, _):
            // Opened before the count is saved, because a new epoch may begin with that.
            let admission = opened(request, offer)
            return save(changed).map { .refuse($0) } ?? admission
        }
    }

    /// Why a command that was admitted is not given any more; nil if it may be.
    func refusal(ofAdmitted request: SteeringRequest) -> ConsentRefusal? {
        guard isSigned, request.action.needsSignature else { return nil }
        let device = request.signature.flatMap { (try? SignatureText(parsing: $0))?.device }
        return device.flatMap { book[$0] } == nil ? .notTrusted : nil
    }

    private func opened(_ request: SteeringRequest, _ offer: SteeringOffer?) -> SteeringDesk.Admission {
        guard let sealing else { return refusal(ofText: request.action.text).map { .refuse($0.sentence) } ?? .take(request) }
        return switch sealing.opening.opened(request, offered: offer) {
        case .opened(let request): .take(request)
        case .refused(let refusal): .refuse(refusal.sentence)
        }
    }

    /// Opens the pictures of a request if this host seals. Returns why an agent does not get them, or nil. `sessions`: those that
    /// they may have been sent to.
    func open(picturesOf request: inout SteeringRequest, sentTo sessions: [SessionID]) -> ConsentRefusal? {
        guard let sealing else { return nil }
        switch sealing.opening.opened(picturesOf: request, sentTo: sessions) {
        case .opened(let opened):
            request = opened
            return nil
        case .refused(let refusal): return refusal
        }
    }

    /// Refuses text that is sealed: the device takes this open host for one that seals, and no agent gets what it cannot read.
    private func refusal(ofText text: String?) -> ConsentRefusal? {
        text.flatMap { try? Sealed(text: $0, as: .words) } == nil ? nil : .cannotOpen
    }

    /// Admits keys as it does a command: as they were signed, and once. `call` then contains them opened. Returns why they are
    /// refused, or nil.
    mutating func admit(_ keys: [UInt8], seen: String?, by call: inout ScreenCall) -> String? {
        guard isSigned else { return nil }
        var changed = book
        switch gate.typed(keys, seen: seen ?? "", by: call, pins: &changed) {
        case .refuse(let refusal): return refusal.sentence
        case .take(let taken):
            call = taken
            let opened = sealing?.opening.opened(keys, by: call)
            if let refusal = save(changed) { return refusal }
            switch opened {
            case .opened(let keys)?: call.wish = .type(keys, seen: seen)
            case .refused(let refusal)?: return refusal.sentence
            case nil: break
            }
            return nil
        }
    }

    /// Saves the book. Returns why it is not on disk, or nil.
    private mutating func save(_ changed: PinBook) -> String? {
        guard (try? disk.save(changed)) != nil else { return "the disk of its host does not take anything" }
        _ = keep(changed)
        return nil
    }

    // MARK: Sealed content

    var isSealed: Bool { sealing != nil }

    /// Writes the keys to disk; nothing sealed with them leaves before.
    mutating func keepKeys() throws(SpoolError) { try sealing?.keep() }

    /// The event as it leaves the host. Nil if it is too long. Throws if the key cannot be written to disk.
    mutating func sealed(_ event: Event, of session: SessionID, number: Int64) throws(SpoolError) -> Event? {
        if let (note, facts) = sealing?.leaves(number, of: session) { unwritten[Self.notes + note] = facts }
        guard let bytes = try sealing?.sealed(event, of: session, number: number, wrappedFor: book.devices) else {
            return event
        }
        return try? Event(stored: bytes)
    }

    /// The delta as it leaves the host. Nil if it can only be shown once it is complete.
    mutating func shown(_ delta: Delta) -> Delta? { isSealed ? sealing?.sealed(delta) : delta }

    mutating func shown(_ output: ToolOutput) -> ToolOutput? { isSealed ? sealing?.sealed(output) : output }

    /// The screen as it leaves the host; nil if it cannot be sealed now.
    mutating func shown(_ screen: [UInt8], to command: CommandID, in session: SessionID) -> [UInt8]? {
        isSealed ? sealing?.sealed(screen, to: command, in: session) : screen
    }

    var sessionsWithLines: [SessionID] { sealing?.sessionsWithLines ?? [] }

    /// Handles sessions that are over, as far as is known. Returns the notes that are no longer needed.
    mutating func restLines(of sessions: [SessionID]) -> [String] {
        (sealing?.restLines(of: sessions) ?? []).map { Self.notes + $0 }
    }

    /// Handles a session whose events the relay has all received. Returns the notes that are no longer needed.
    mutating func acknowledged(_ session: SessionID) -> [String] {
        (sealing?.acknowledged(session) ?? []).map { Self.notes + $0 }
    }

    // MARK: Letters

    /// Learns the secret of a relay's or host's first start, which any host of this machine answers. `until` is on the monotonic
    /// clock.
    mutating func learn(_ secret: TrustSecret, until: Int64) {
        // An open host becomes a signed one only at its own terminal.
        guard isSigned else { return }
        // If the desk is full, an earlier secret is used up or expires first.
        try? desk.show(secret, until: until)
    }

    mutating func received(_ letter: Letter, from client: Named<ClientTag>, at now: HostInstant) -> [Order] {
        var changed = book
        let outcome = desk.received(
            letter.bytes, at: now.monotonic, wall: now.wall, nonce: fresh.next(), pins: &changed)
        var orders: [Order] = []
        if outcome.hasChangedPins {
            // Without an answer the device sends its letter again.
            do throws(SpoolError) {
                switch outcome {
                case .joined(let pin, let secret, _) where book[pin.id] == nil:
                    let invited = invitation.flatMap { $0.secret == secret ? $0.history : nil }
                    try sealing?.admit(pin.id, invited ?? .all)
                case .vouched(let pin, let voucher, _) where book[pin.id] == nil:
                    try sealing?.admit(pin.id, .all, broughtBy: voucher)
                default: break
                }
                if case .joined = outcome, !isSigned {
                    try disk.keepSigned()
                    try disk.save(changed)
                    isSigned = true
                    orders.append(.becameSigned)
                } else {
                    try disk.save(changed)
                }
            } catch { return [.log(.notTrusted(error))] }
            orders += keep(changed)
        }
        switch outcome {
        case .joined(let pin, let secret, _):
            orders.append(.log(.trusted(name: pin.name, code: pin.id.shortCode)))
            orders += joined(pin, by: secret)
        case .vouched(let pin, _, _): orders.append(.log(.trusted(name: pin.name, code: pin.id.shortCode)))
        case .distrusted(let pin, _, _): orders.append(.log(.distrusted(name: pin.name, code: pin.id.shortCode)))
        case .refused(let reason, _): orders.append(.log(.letterRefused(client.id, reason: reason.rawValue)))
        case .ignored(let error):
            orders.append(.log(.letterRefused(client.id, reason: "\(error.code.rawValue) at \(error.path)")))
        case .asked(let device, let ask, _): asks.add(ask, by: device, of: client.id, limits)
        case .passkeyAsked(let passkey, let device, let ask, let isNew, _):
            passkeyAsks[device.id] = (ask, client.id)
            if isNew { orders.append(.log(.passkeyAsked(device: device.name, code: passkey.id(crypto).shortCode))) }
        case .resumed, .again: break
        }
        if let reply = outcome.reply.flatMap({ Letter($0) }) {
            orders.append(.send(.letter(reply, to: client.id)))
        }
        return orders + (outcome.hasChangedPins ? told + keysChanged : [])
    }

    private var keysChanged: [Order] { sealing == nil ? [] : [.keysChanged] }

    /// The letters that list the trusted devices, for each trusted device that asked.
    private var told: [Order] {
        asks.all.filter { book[$0.device] != nil }.compactMap { ask in
            Letter(desk.roll(for: ask.ask, book)).map { .send(.letter($0, to: ask.client)) }
        }
    }

    private mutating func joined(_ pin: Pin, by secret: TrustSecret) -> [Order] {
        guard invitation?.secret == secret else { return [] }
        guard let caller = invitation?.caller else {
            invitation?.progress = .joined(pin)
            return []
        }
        invitation = nil
        return [.respond(caller, Self.answer(pin))]
    }

    // MARK: The terminal

    mutating func asked(_ request: ConsentRequest, _ token: HookToken, at now: HostInstant) -> [Order] {
        switch request {
        case .invite(let secret, let history):
            invite(TrustSecret(.host(identity.id), secret: secret), history, token, at: now)
        case .awaitDevice: awaitDevice(token)
        case .listDevices: [.respond(token, list)]
        case .distrust(let device): distrust(device, token)
        case .takePasskey(let code): takePasskey(code, token)
        }
    }

    private mutating func invite(
        _ secret: TrustSecret, _ history: SharedHistory, _ token: HookToken, at now: HostInstant
    ) -> [Order] {
        guard history == .all || sealing != nil else {
            return [.respond(token, Self.refusal("content is open here: every device reads all of it"))]
        }
        let ended = endInvitation("another “heliograph host trust” shows a new link")
        do throws(ConsentError) {
            try desk.show(secret, until: now.monotonic + limits.inviteFor.milliseconds)
        } catch { return ended + [.respond(token, Self.refusal(error.message))] }
        invitation = Invitation(
            secret: secret, history: history, calledBy: now.monotonic + limits.callWithin.milliseconds)
        let answer = JSONWriter.object {
            $0.field("secret", secret.text)
            $0.field("host", identity.id.text)
            $0.field("expiresAt", now.wall + limits.inviteFor.milliseconds)
        }
        return ended + [.respond(token, answer)]
    }

    private mutating func awaitDevice(_ token: HookToken) -> [Order] {
        switch invitation?.progress {
        case nil: return [.respond(token, Self.refusal("no link is shown now: heliograph host trust"))]
        case .joined(let pin):
            invitation = nil
            return [.respond(token, Self.answer(pin))]
        case .open:
            let earlier = invitation?.caller
            invitation?.caller = token
            return earlier.map { [.respond($0, Self.refusal("another caller waits for the device now"))] } ?? []
        }
    }

    /// The person at the terminal has ended the command.
    mutating func gone(_ token: HookToken) {
        if invitation?.caller == token { _ = endInvitation("") }
    }

    private mutating func endInvitation(_ reason: String) -> [Order] {
        guard let ended = invitation else { return [] }
        invitation = nil
        desk.withdraw(ended.secret)
        return ended.caller.map { [.respond($0, Self.refusal(reason))] } ?? []
    }

    private mutating func distrust(_ device: String, _ token: HookToken) -> [Order] {
        let meant = book.devices.filter { $0.id.text == device || $0.id.shortCode == device.uppercased() }
        guard let pin = meant.first, meant.count == 1 else {
            let reason = meant.isEmpty ? "this host trusts no such device" : "\(meant.count) devices have this code: say the id"
            return [.respond(token, Self.refusal("\(reason): heliograph host devices"))]
        }
        var changed = book
        changed.distrust(pin.id)
        do throws(SpoolError) { try disk.save(changed) } catch {
            return [.respond(token, Self.refusal("the device is still trusted: \(error)"))]
        }
        let ended = keep(changed)
        let answer = JSONWriter.object { $0.field("name", pin.name) }
        return [.log(.distrusted(name: pin.name, code: pin.id.shortCode)), .respond(token, answer)] + ended + told + keysChanged
    }

    private mutating func takePasskey(_ code: String, _ token: HookToken) -> [Order] {
        let meant = book.devices.filter { $0.askedPasskey?.id(crypto).shortCode == code.uppercased() }
        guard let pin = meant.first, meant.count == 1 else {
            let reason = meant.isEmpty ? "no passkey with this code waits" : "two passkeys have this code: set one up again"
            return [.respond(token, Self.refusal("\(reason): heliograph host devices"))]
        }
        var changed = book
        guard let passkey = changed.takePasskey(of: pin.id) else {
            return [
                .respond(token, Self.refusal("the device has \(PinBook.passkeysMax) passkeys: distrust it, and trust it again"))
            ]
        }
        do throws(SpoolError) { try disk.save(changed) } catch {
            return [.respond(token, Self.refusal("the passkey is not taken: \(error)"))]
        }
        _ = keep(changed)
        let answer = JSONWriter.object {
            $0.field("name", pin.name)
            $0.field("origin", passkey.origin.text)
        }
        let told = passkeyAsks.removeValue(forKey: pin.id).flatMap { asked in
            Letter(desk.receipt(of: asked.ask)).map { Order.send(.letter($0, to: asked.client)) }
        }
        return [.log(.passkeyTaken(device: pin.name, code: passkey.id(crypto).shortCode)), .respond(token, answer)]
            + (told.map { [$0] } ?? [])
    }

    /// True if some device's passkey was accepted, so that the owner may have rules that require one.
    var hasPasskeys: Bool { book.devices.contains { !$0.passkeys.isEmpty } }

    private var list: [UInt8] {
        JSONWriter.object {
            $0.field("host", identity.id.text)
            $0.field("sign", identity.sign.text)
            $0.field("consent", (isSigned ? ConsentSetting.signed : .open).rawValue)
            $0.field("content", (sealing == nil ? ContentSetting.open : .sealed).rawValue)
            $0.array("devices", book.devices.map(\.json))
        }
    }

    static func noKeys(_ token: HookToken) -> Order {
        .respond(token, refusal("this host has no keys: its log says why"))
    }

    private static func answer(_ pin: Pin) -> [UInt8] { JSONWriter.object { $0.raw("device", pin.json) } }

    private static func refusal(_ sentence: String) -> [UInt8] { JSONWriter.object { $0.field("error", sentence) } }

    // MARK: Waiting

    var nextDeadline: Int64? { [desk.nextDeadline, invitation?.lonelyAt].compactMap { $0 }.min() }

    mutating func timerFired(at now: HostInstant) -> [Order] {
        if let lonelyAt = invitation?.lonelyAt, lonelyAt <= now.monotonic { return endInvitation("") }
        let expired = desk.expire(at: now.monotonic)
        guard let shown = invitation?.secret, expired.contains(shown), case .open? = invitation?.progress else { return [] }
        return endInvitation("the link's ten minutes are over: heliograph host trust shows a new one")
    }
}
