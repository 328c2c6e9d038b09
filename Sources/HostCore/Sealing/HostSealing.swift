internal import Consent
internal import RelayProtocol

/// Sealed content at a host: outgoing content is sealed for the devices that it trusts, and content from these is opened.
///
/// Pure but for the disk: a key is on disk before anything is sealed with it. As long as the disk fails, nothing leaves.
///
/// ```
/// devices come ─▶ may have all epochs, or a new one alone
/// a device goes ─▶ a new epoch
/// ```
struct HostSealing {
    private let identity: ConsentIdentity
    private let disk: any SealingDisk
    private let crypto: ConsentCrypto
    private var fresh: FreshBytes
    private var book: EpochBook
    /// True if `book` is on disk.
    private var isKept: Bool
    private var lines = SessionLines()
    private var liveProgress = LiveProgress()
    /// Seals of the current epoch.
    private var seals: [SessionID: SessionSeal] = [:]
    private var wrapKeys: [BoxPoint: WrapKey] = [:]
    /// Last epoch whose key a removed device may have; content sealed with it or an earlier one is refused.
    private var lapsed: EpochNumber

    /// Seals that are kept: more than any host has sessions at one time. Beyond it, keys are derived again.
    private static let sealsMax = 1_024

    /// `seed`: 32 random bytes.
    init(_ identity: ConsentIdentity, _ book: EpochBook, on disk: any SealingDisk, seed: [UInt8], _ crypto: ConsentCrypto) {
        self.identity = identity
        self.book = book
        self.disk = disk
        self.crypto = crypto
        fresh = FreshBytes(seed: seed, crypto)
        isKept = book.current != nil
        // The reason why the earlier epochs ended is not known any more.
        lapsed = (book.current?.number ?? 1) - 1
    }

    // MARK: Keys

    var epoch: EpochNumber? { book.current?.number }

    /// Updates the trusted devices. If one was removed, or the addition of one was not noted, a new key seals what follows.
    ///
    /// `floor`: the newest epoch that this host is known to have used.
    mutating func trust(_ devices: [KeyID], after floor: EpochNumber = 0) {
        let (gone, new) = (book.devices.filter { !devices.contains($0) }, devices.filter { !book.devices.contains($0) })
        let isLost = floor > book.current?.number ?? 0
        guard book.current == nil || isLost || !gone.isEmpty || !new.isEmpty else { return }
        for device in gone { book.exclude(device) }
        lapsed = max(lapsed, book.current?.number ?? 0)
        begin(after: floor)
        for device in new { book.admit(device, from: book.current?.number ?? 1) }
        isKept = false
        // If this cannot be written now, it is tried again before anything leaves.
        try? keep()
    }

    /// Gives a device its keys before it becomes trusted. Throws, and changes nothing, if they cannot be written to disk. A device
    /// that another one vouched for reads what that one reads.
    mutating func admit(_ device: KeyID, _ history: SharedHistory, broughtBy voucher: KeyID? = nil) throws(SpoolError) {
        let key: EpochKey = fresh.next()
        var changed = book
        // Left by an admission that failed later: what was sealed since is not this device's.
        changed.exclude(device)
        if changed.current == nil || history == .fromNow { changed.begin(key) }
        let newest = changed.current?.number ?? 1
        let from = voucher.map { changed.first(of: $0) ?? newest } ?? 1
        changed.admit(device, from: history == .all ? from : newest)
        try disk.save(changed)
        let isNew = changed.current?.number != book.current?.number
        book = changed
        if isNew { seals = [:] }
        isKept = true
    }

    private mutating func begin(after floor: EpochNumber = 0) {
        let key: EpochKey = fresh.next()
        book.begin(key, after: floor)
        seals = [:]
    }

    /// Writes the keys to disk. Nothing is sealed before.
    mutating func keep() throws(SpoolError) {
        if book.current == nil { begin() }
        guard !isKept else { return }
        try disk.save(book)
        isKept = true
    }

    /// The epochs' keys, wrapped for the devices that may have them: the newest epochs if not all have room.
    private mutating func wraps(for pins: [Pin]) -> [KeyWrap] {
        var all: [KeyWrap] = []
        for pin in pins {
            guard let key = wrapKey(for: pin) else { continue }
            for (number, epochKey) in book.keys(of: pin.id).prefix(Self.epochsOfferedMax) {
                let wrap = key.wrap(epochKey, of: number, nonce: fresh.next())
                if let wrap = KeyWrap(epoch: Int64(number), device: HostKeyID(pin.id), wrap: Base64URL.text(wrap)) {
                    all.append(wrap)
                }
            }
        }
        let newest = all.enumerated().sorted { ($1.element.epoch, $0.offset) < ($0.element.epoch, $1.offset) }
        return newest.prefix(WireLimits.wrapsMax).map(\.element)
    }

    /// Epochs whose keys are offered: a device that was away for longer needs no older ones to see what happens.
    private static let epochsOfferedMax = 64

    private mutating func wrapKey(for pin: Pin) -> WrapKey? {
        if let known = wrapKeys[pin.box] { return known }
        if wrapKeys.count >= PinBook.devicesMax { wrapKeys = [:] }
        let key = WrapKey(of: identity, with: pin.id, box: pin.box, crypto)
        wrapKeys[pin.box] = key
        return key
    }

    private mutating func seal(of session: SessionID) -> SessionSeal? {
        if let known = seals[session] { return known }
        guard isKept, let (number, key) = book.current else { return nil }
        if seals.count >= Self.sealsMax { seals = [:] }
        let seal = SessionSeal(of: session, host: identity.id, key, epoch: number, crypto)
        seals[session] = seal
        return seal
    }

    // MARK: Outward

    /// The event as it leaves. `pins`: trusted devices, for an offer in the session that represents this host. Throws if the key is
    /// not on disk.
    mutating func sealed(
        _ event: Event, of session: SessionID, number: Int64, wrappedFor pins: [Pin]
    ) throws(SpoolError) -> [UInt8] {
        try keep()
        guard let seal = seal(of: session), let alias = aliasKey else { preconditionFailure("a key that is kept is there") }
        let sealed = seal.seal(
            event.bytes, as: .event(kind: event.head.kind), number: number, nonce: fresh.next())
        // A request needs its folder: the host tries rules on it, months later.
        let isRequest = event.head.kind == EventKind.approvalRequested.rawValue
        let line = lines.next(with: number, of: session, isPart: isRequest).map {
            seal.seal($0.bytes, as: .line, number: number, nonce: fresh.next()).text
        }
        var outer = SealedEvent(sealed.text, line: line)
        switch event.head {
        case .steeringOffered where session.isOfHost: outer.wraps = wraps(for: pins)
        case .approvalRequested:
            outer.consent = ShownText.text(inEvent: event.bytes).map { shown in
                RequestConsent(host: HostKeyID(identity.id), shown: InputDigest(ShownText.hash(of: shown, crypto)))
            }
        default: break
        }
        return outer.bytes(of: event) { alias.alias(of: $0) }
    }

    /// The delta, sealed. Nil if the key is not on disk or the result is too long; the whole text follows as an event.
    mutating func sealed(_ delta: Delta) -> Delta? {
        var sealed = delta
        guard let text = live(delta.text, of: delta.message, in: delta.session), text.utf8.count <= WireLimits.eventBytesMax
        else {
            return nil
        }
        sealed.text = text
        return sealed
    }

    mutating func sealed(_ output: ToolOutput) -> ToolOutput? {
        var sealed = output
        let shown = output.text.utf8.count <= Self.outputBytesMax ? output.text : Self.end(of: output.text)
        guard let text = live(shown, of: output.call, in: output.session) else { return nil }
        sealed.text = text
        return sealed
    }

    /// Longest output that fits the wire when it is sealed and in base64url.
    static let outputBytesMax = (WireLimits.outputBytesMax - 64) / 4 * 3

    /// The last whole lines of a text that fit.
    private static func end(of text: String) -> String {
        let tail = Array(text.utf8.suffix(outputBytesMax))
        let isWithin = { (byte: UInt8) in byte & 0xC0 == 0x80 }
        let line = tail.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
        let start = line ?? tail.prefix(while: isWithin).count
        return String(decoding: tail[start...], as: UTF8.self)
    }

    private mutating func live(_ text: String, of name: String, in session: SessionID) -> String? {
        let nonce: SealingNonce = fresh.next()
        let piece = liveProgress.next(text, of: name, in: session)
        return seal(of: session)?.seal(piece.bytes, as: .live(of: name), nonce: nonce).text
    }

    /// A drawing that is empty but for its sealed content, bound to the command that asked for it. Nil if the key is not on disk.
    mutating func sealed(_ screen: [UInt8], to command: CommandID, in session: SessionID) -> [UInt8]? {
        let nonce: SealingNonce = fresh.next()
        guard let sealed = seal(of: session)?.seal(screen, as: .screen(to: command.rawValue), nonce: nonce) else { return nil }
        return JSONWriter.object {
            $0.field("of", "sealed")
            $0.field("rows", Int64(0))
            $0.field("columns", Int64(0))
            $0.array("lines", [[UInt8]]())
            $0.field("sealed", sealed.text)
        }
    }

    private var aliasKey: AliasKey? {
        guard isKept, let key = book.current?.key else { return nil }
        return AliasKey(of: identity.id, key, crypto)
    }

    // MARK: Lines

    /// Learns an event of a session. Returns the session's note if it changes.
    mutating func learn(_ head: EventHead, of session: SessionID) -> (note: String, facts: [UInt8])? {
        lines.learn(head, of: session).map { (SessionLines.note(of: session), $0) }
    }

    mutating func ended(_ approval: ApprovalID) { lines.ended(approval) }

    mutating func restore(_ note: [UInt8], of session: SessionID) { lines.restore(note, of: session) }

    /// Handles the sending of the event with that number. Returns the session's note if it changes.
    mutating func leaves(_ number: Int64, of session: SessionID) -> (note: String, facts: [UInt8])? {
        lines.leaves(number, of: session).map { (SessionLines.note(of: session), $0) }
    }

    /// Begins to seal a session from that number on. Returns the session's note if it changes.
    mutating func begin(_ session: SessionID, from number: Int64) -> (note: String, facts: [UInt8])? {
        lines.begin(session, from: number).map { (SessionLines.note(of: session), $0) }
    }

    var isNew: Bool { book.current == nil }

    var sessionsWithLines: [SessionID] { lines.sessions }

    /// Handles sessions that are over, as far as is known. Returns the notes that are no longer needed.
    mutating func restLines(of sessions: [SessionID]) -> [String] { forget(lines.rest(sessions)) }

    /// Handles a session whose events the relay has all received. Returns the notes that are no longer needed.
    mutating func acknowledged(_ session: SessionID) -> [String] { forget(lines.acknowledged(session)) }

    private mutating func forget(_ sessions: [SessionID]) -> [String] {
        for session in sessions { seals[session] = nil }
        return sessions.map(SessionLines.note(of:))
    }

    // MARK: Inward

    var opening: SealedOpening { SealedOpening(host: identity.id, epochs: book, after: lapsed, names: aliasKey, crypto) }
}

extension SessionID {
    /// True for the session that represents its host.
    var isOfHost: Bool { rawValue.hasPrefix(LaunchAdapter.name + "-") }
}
