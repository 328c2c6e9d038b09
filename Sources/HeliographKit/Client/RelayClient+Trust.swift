internal import Consent
internal import DeviceConsent
internal import Foundation
internal import HeliographLink
public import LiveActivityKit
internal import RelayProtocol

/// Hosts that trust this device, and the other devices that they trust.
extension RelayClient {
    /// Interval at which a letter is sent again until it is answered: the relay does not store letters.
    static let letterEvery = Duration.seconds(2)
    /// Time for a host to answer: it does so at once if it is present.
    static let hostWithin = Duration.seconds(20)
    /// Time for a device to answer: a person compares the codes first.
    private static let personWithin = Duration.seconds(600)

    /// Asks the hosts of the link to trust this device. Returns those that do now; their terminals show `DeviceTrust.code`. With a
    /// device's link (`TrustLink.isOfDevice`), the person first compares `DeviceTrust.codeToJoin` on both screens. The app stays in
    /// the foreground until this returns, ten minutes at most.
    ///
    /// `name` is what the hosts call this device. Throws `refused` with the host's reason, `unreachable` if none answered,
    /// `notFound` if no host that requires signatures is present.
    public func trust(_ link: TrustLink, as name: String) async throws(LiveActivityError) -> [TrustedHost] {
        guard let trust else { throw LiveActivityError(.unsupported, "this app keeps no keys") }
        guard ConsentName.isSpelled(name) else { throw LiveActivityError(.refused, "a name is one line of at most 256 bytes") }
        guard seeking == nil else { throw LiveActivityError(.busy, "another link is being followed") }
        let identity = try trust.identityToJoin()
        try await isLive()
        let peers = TrustSeeking.peers(of: link.secret, among: signedHosts)
        guard !peers.isEmpty else { throw LiveActivityError(.notFound, "no host that is there knows this link") }
        refusal = nil
        seeking = TrustSeeking(
            link.secret, at: peers, by: identity, name: name, nonce: { .fresh() }, trust.crypto)
        defer { seeking = nil }
        let end = ContinuousClock.now + (link.isOfDevice ? Self.personWithin : Self.hostWithin)
        await repeating(until: end) {
            for (letter, peer) in seeking?.letters ?? [] { submit(.letter(letter, to: peer)) }
        } while: {
            seeking?.isDone == false
        }
        let trusted = seeking?.trusted ?? []
        guard trusted.isEmpty else {
            isMet = false
            callHosts()
            publish()
            return trusted.map(TrustedHost.init)
        }
        if let refusal {
            throw LiveActivityError(.refused, link.isOfDevice ? Self.sentence(refusal) : refusal.sentence(host: "The host"))
        }
        throw LiveActivityError(
            .unreachable,
            link.isOfDevice
                ? "The other device does not answer: is its link still shown?"
                : "The host does not answer: is it running, and connected to this relay?")
    }

    /// The reason in words, which differ for a device and a host.
    private static func sentence(_ reason: Refusal.Reason) -> String {
        reason == .usedSecret
            ? "Another device has already used this link. Show a new one there."
            : "The device that showed the link did not let this one in."
    }

    /// Marks the device as read by a person.
    public func read(_ device: TrustedDevice) {
        guard let host = KeyID(text: device.host.id), let key = KeyID(text: device.key) else { return }
        rolls?.read(key, at: host)
        keepKnown()
        publish()
    }

    /// Ends the host's trust in that device. Throws `refused` with the host's reason; `unreachable` if it did not answer: it may
    /// still trust the device.
    public func distrust(_ device: TrustedDevice) async throws(LiveActivityError) {
        guard let trust, let host = KeyID(text: device.host.id), let key = KeyID(text: device.key),
            let identity = try trust.identity()
        else { throw LiveActivityError(.notFound, "no host trusts this device") }
        let distrust = Distrust(host: host, distrusted: key, count: try trust.nextCount(), device: identity.id)
        switch try await answer(to: .distrust(distrust), of: host, identity) {
        case .done: return
        case .refused(let reason, _): throw LiveActivityError(.refused, reason.sentence(host: device.host.name))
        }
    }

    // MARK: Letters

    private func answer(
        to letter: LetterContent, of host: KeyID, _ identity: ConsentIdentity
    ) async throws(LiveActivityError) -> LetterAnswer {
        guard asked[host] == nil else { throw LiveActivityError(.busy, "the host has not answered yet") }
        try await isLive()
        (asked[host], answers[host]) = (letter, nil)
        defer { (asked[host], answers[host]) = (nil, nil) }
        let end = ContinuousClock.now + Self.hostWithin
        await repeating(until: end) {
            keeping { () throws(LiveActivityError) in try send(letter, to: host, identity) }
        } while: {
            answers[host] == nil
        }
        guard let answer = answers[host] else { throw LiveActivityError(.unreachable, "The host has not answered.") }
        return answer
    }

    /// Sends every `letterEvery`, however many letters arrive in between.
    func repeating(
        until end: ContinuousClock.Instant, _ send: () -> Void, while isOpen: () -> Bool
    ) async {
        var next = ContinuousClock.now
        while isOpen(), ContinuousClock.now < end, !Task.isCancelled {
            if ContinuousClock.now >= next {
                send()
                next = .now + Self.letterEvery
            }
            await stirred(within: max(.zero, ContinuousClock.now.duration(to: next)))
        }
    }

    private func send(_ content: LetterContent, to host: KeyID, _ identity: ConsentIdentity) throws(LiveActivityError) {
        guard let trust else { return }
        let signed = SignedLetter(content, by: identity, trust.crypto)
        guard signed.signature.count == SignatureText.signatureBytes, let letter = Letter(signed.bytes) else {
            throw LiveActivityError(.keychain, "This device cannot sign now: unlock it, and try again.")
        }
        submit(.letter(letter, to: .host(HostKeyID(host))))
    }

    func received(_ letter: Letter, from peer: LetterPeer) {
        defer { stir() }
        let wall = Int64(Date().timeIntervalSince1970 * 1_000)
        switch seeking?.received(letter, from: peer, wall: wall) {
        case .trusted(let pin): return keeping { () throws(LiveActivityError) in try trust?.pin(pin) }
        case .refused(let reason):
            refusal = reason
            return
        case .notConcerned: return
        case .ignored, nil: break
        }
        if case .client(let client) = peer { return receivedJoin(letter, from: client) }
        guard let trust, case .host(let key) = peer, let host = KeyID(text: key.rawValue), let own = try? trust.identity()?.id
        else { return }
        if rolls?.received(letter.bytes, by: host, to: own) == true { return keepKnown() }
        if receivedAnswer(letter, by: host) { return }
        if let bump = bumps[host], let answer = try? LetterAnswer(letter.bytes, to: bump, by: host, trust.crypto) {
            return bumped(bump, answer)
        }
        if case .distrust(let distrust) = asked[host] {
            answers[host] = try? LetterAnswer(letter.bytes, to: distrust, by: host, trust.crypto)
        }
    }

    // MARK: Restored hosts

    /// Sends this device's count to a host that was restored and has forgotten it. Until then the host refuses everything from this
    /// device; the person can send a refused message again afterwards.
    func resumeIfRestored(_ approval: Approval) {
        // A session that takes no prompts has no offer that would name its host.
        guard case .stale(_, ConsentRefusal.restored.rawValue, _) = approval.stage,
            case .signed(let shown) = ApprovalReading(approval, link.view.sessions[approval.session]).basis
        else { return }
        resume(at: shown.host)
    }

    func resumeIfRestored(_ run: SessionEvents) {
        let isRestored = run.events.contains { bytes in
            guard case .steeringChanged(let change)? = try? Event(stored: bytes).head else { return false }
            return change.stage == .refused && change.reason == ConsentRefusal.restored.sentence
        }
        if isRestored, let host = link.view.sessions[run.session]?.consentKey { resume(at: host) }
    }

    private func resume(at host: KeyID) {
        guard let trust, bumps[host] == nil, let book = try? trust.book(), book[host] != nil,
            let identity = try? trust.identity()
        else { return }
        let bump = Bump(host: host, generation: .unknown, count: book.count, device: identity.id)
        bumps[host] = bump
        keeping { () throws(LiveActivityError) in try send(.bump(bump), to: host, identity) }
    }

    private func bumped(_ bump: Bump, _ answer: LetterAnswer) {
        bumps[bump.host] = nil
        guard case .refused(.restored, let generation) = answer, bump.generation == .unknown, let trust,
            let identity = try? trust.identity()
        else { return }
        let known = Bump(host: bump.host, generation: generation, count: bump.count, device: bump.device)
        bumps[bump.host] = known
        keeping { () throws(LiveActivityError) in try send(.bump(known), to: bump.host, identity) }
    }

    private func isLive() async throws(LiveActivityError) {
        let end = ContinuousClock.now + Self.hostWithin
        while !(link.phase == .up && link.view.isWorkspaceKnown), ContinuousClock.now < end, !Task.isCancelled {
            await stirred(within: .milliseconds(200))
        }
        guard link.phase == .up, link.view.isWorkspaceKnown else {
            throw LiveActivityError(.unreachable, "The relay did not answer.")
        }
    }

    // MARK: Whom the hosts trust

    /// Hosts that are present and take only signed messages.
    private var signedHosts: Set<KeyID> {
        TrustSeeking.hosts(of: link.view.sessions.values, asking: link.view.pendingApprovals)
    }

    /// Called after each message: hosts may have appeared.
    func callHosts() {
        guard let trust, link.phase == .up, link.view.isWorkspaceKnown, let own = try? trust.identity()?.id,
            let book = try? trust.book(), !book.hosts.isEmpty
        else { return }
        let here = signedHosts.intersection(book.hosts.map(\.id))
        if rolls?.met(here, isNewConnection: !isMet, by: own, nonce: { .fresh() }) == true { sendCalls() }
        isMet = true
    }

    /// Sends the calls with each heartbeat, until each has been answered.
    func sendCalls() {
        guard let trust, link.phase == .up, let identity = try? trust.identity() else { return }
        for ask in rolls?.due() ?? [] {
            keeping { () throws(LiveActivityError) in try send(.ask(ask), to: ask.host, identity) }
        }
    }

    private func keepKnown() {
        guard let trust, let known = rolls?.known else { return }
        keeping { () throws(LiveActivityError) in try trust.keep(KnownDevices(known)) }
    }

    var trustedDevices: [TrustedDevice] {
        guard let trust, let rolls, let book = try? trust.book(), let own = try? trust.identity()?.id else { return [] }
        return book.hosts.flatMap { pin in
            let entries = rolls.roll(of: pin.id)?.entries ?? []
            return entries.map { entry in
                var voucher: String?
                if case .device(let id) = entry.by { voucher = entries.first { $0.id == id }?.name ?? id.shortCode }
                return TrustedDevice(
                    key: entry.id.text, host: TrustedHost(pin), name: VisibleText.line(entry.name), code: entry.id.shortCode,
                    since: Date(milliseconds: entry.since), broughtBy: voucher.map { VisibleText.line($0) },
                    isOwn: entry.id == own, isNew: rolls.isNew(entry.id, at: pin.id))
            }
        }
    }
}
