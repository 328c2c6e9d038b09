/// A host's side of trust: it shows secrets, and answers the letters that come through the relay.
///
/// A secret admits one device. The book records its use beside the pin, so that this holds after a crash, too.
package struct TrustDesk: Sendable {
    private struct Shown {
        let secret: TrustSecret
        let pairKey: [UInt8]
        /// Monotonic milliseconds.
        var until: Int64
    }

    /// What the host calls itself, spelled as `ConsentName` says.
    package var name = "host"
    private let identity: ConsentIdentity
    private let limits: TrustLimits
    private let crypto: ConsentCrypto
    private var shown: [Shown] = []
    /// Replies by the trusted device whose letters they answer; nil for all others together.
    private var signatures = CountsInTime<KeyID?>(of: 60_000)
    private var distrusts = CountsInTime<KeyID>(of: 86_400_000)

    package init(_ identity: ConsentIdentity, limits: TrustLimits = TrustLimits(), _ crypto: ConsentCrypto) {
        self.identity = identity
        self.limits = limits
        self.crypto = crypto
    }

    // MARK: Secrets

    /// `until` is in monotonic milliseconds. Throws `full`.
    package mutating func show(_ secret: TrustSecret, until: Int64) throws(ConsentError) {
        precondition(secret.isFor(identity.id), "a host shows its own secrets")
        withdraw(secret)
        guard shown.count < limits.secretsMax else {
            throw ConsentError(.full, at: "secrets", "\(limits.secretsMax) secrets are valid at one time")
        }
        shown.append(Shown(secret: secret, pairKey: secret.pairKey(with: identity.id, crypto), until: until))
    }

    package mutating func withdraw(_ secret: TrustSecret) { shown.removeAll { $0.secret.secret == secret.secret } }

    /// Monotonic time at which `expire` is due.
    package var nextDeadline: Int64? { shown.map(\.until).min() }

    /// Removes and returns the secrets that have expired.
    package mutating func expire(at now: Int64) -> [TrustSecret] {
        defer { shown.removeAll { $0.until <= now } }
        return shown.filter { $0.until <= now }.map(\.secret)
    }

    // MARK: Letters

    package enum Outcome: Sendable, Equatable {
        /// `pins` has changed: the caller writes it to disk before it sends the reply.
        case joined(Pin, by: TrustSecret, reply: [UInt8])
        case vouched(Pin, by: KeyID, reply: [UInt8])
        case distrusted(Pin, by: KeyID, reply: [UInt8])
        case resumed(Pin, reply: [UInt8])
        /// A passkey that a person at the terminal has to confirm. `ask` is the hash of the letter; no reply if there were too
        /// many.
        case passkeyAsked(Passkey, by: Pin, ask: ConsentHash, isNew: Bool, reply: [UInt8]?)
        /// A device asked for the list of devices. The caller sends it again, by `roll`, when the devices change.
        case asked(by: KeyID, ask: ConsentHash, reply: [UInt8])
        /// A repeated letter; the reply is the same as before.
        case again(reply: [UInt8])
        /// A refused letter; no reply if there were too many.
        case refused(Refusal.Reason, reply: [UInt8]?)
        /// Not a letter that a host can answer.
        case ignored(ConsentError)

        package var reply: [UInt8]? {
            switch self {
            case .joined(_, _, let reply), .vouched(_, _, let reply), .distrusted(_, _, let reply), .resumed(_, let reply),
                .asked(_, _, let reply), .again(let reply):
                reply
            case .refused(_, let reply), .passkeyAsked(_, _, _, _, let reply): reply
            case .ignored: nil
            }
        }

        package var hasChangedPins: Bool {
            switch self {
            case .joined, .vouched, .distrusted, .resumed: true
            case .passkeyAsked(_, _, _, let isNew, _): isNew
            case .asked, .again, .refused, .ignored: false
            }
        }
    }

    /// `now` is monotonic, `wall` since 1970, both in milliseconds; `nonce` is random and used once.
    package mutating func received(
        _ bytes: [UInt8], at now: Int64, wall: Int64, nonce: Nonce, pins: inout PinBook
    ) -> Outcome {
        let letter: SignedLetter
        do throws(ConsentError) { letter = try SignedLetter(parsing: bytes) } catch { return .ignored(error) }
        do throws(Refused) {
            switch letter.letter {
            case .join(let join): return try joined(join, letter, now, wall, nonce, &pins)
            case .vouch(let vouch): return try vouched(vouch, letter, wall, &pins)
            case .distrust(let distrust): return try distrusted(distrust, letter, &pins, now)
            case .bump(let bump): return try bumped(bump, letter, &pins)
            case .passkey(let ask): return try passkeyAsked(ask, letter, now, wall, &pins)
            case .ask(let ask): return try asked(ask, letter, pins, now)
            case .admit, .introduction, .roll, .receipt, .refusal:
                return .ignored(
                    ConsentError(
                        .badDomain, at: "letter.body", "this is what a host or device answers, not what a host is asked"))
            }
        } catch {
            let device = letter.device.flatMap { pins[$0] }.flatMap { letter.isSigned(by: $0.sign, crypto) ? $0.id : nil }
            return .refused(error.reason, reply: refusal(error.reason, of: letter, pins.generation, for: device, now))
        }
    }

    private struct Refused: Error {
        let reason: Refusal.Reason
        init(_ reason: Refusal.Reason) { self.reason = reason }
    }

    private mutating func joined(
        _ join: Join, _ letter: SignedLetter, _ now: Int64, _ wall: Int64, _ nonce: Nonce, _ pins: inout PinBook
    ) throws(Refused) -> Outcome {
        guard join.host == identity.id else { throw Refused(.notForThis) }
        guard let index = shown.firstIndex(where: { $0.until > now && letter.isTagged(with: $0.pairKey, crypto) }) else {
            throw Refused(.unknownSecret)
        }
        guard letter.isSigned(by: join.sign, crypto), crypto.isOnCurve(join.box.bytes) else { throw Refused(.badSignature) }
        let secret = shown[index].secret
        let hash = crypto.hash(letter.body)
        let admit = Admit(join: hash, sign: identity.sign, box: identity.box, nonce: nonce, name: self.name)
        let reply = SignedLetter(.admit(admit), by: identity, pairKey: shown[index].pairKey, crypto).bytes
        let name = secret.usedName(crypto)
        if pins.join(thatUsed: name) != nil {
            // A device that was cut off before it had the answer asks with another nonce.
            guard pins[KeyID(of: join.sign, crypto)]?.box == join.box else { throw Refused(.usedSecret) }
            return .again(reply: reply)
        }
        let pin = Pin(
            sign: join.sign, box: join.box, name: join.name, since: wall, by: .terminal, may: Set(PinRight.allCases), crypto)
        // A device that a person lets in here is not kept out by what others have had distrusted.
        let trusted = try trust(pin, &pins, forgetting: true)
        pins.use(name, join: hash)
        shown[index].until = min(shown[index].until, now + Int64(limits.answersAgainFor / .milliseconds(1)))
        return .joined(trusted, by: secret, reply: reply)
    }

    private func vouched(
        _ vouch: Vouch, _ letter: SignedLetter, _ wall: Int64, _ pins: inout PinBook
    ) throws(Refused) -> Outcome {
        let voucher = try signer(of: vouch, letter, pins)
        guard voucher.may(.vouch) else { throw Refused(.notTrusted) }
        guard crypto.isOnCurve(vouch.sign.bytes), crypto.isOnCurve(vouch.box.bytes) else { throw Refused(.badSignature) }
        var pin = Pin(
            sign: vouch.sign, box: vouch.box, name: vouch.name, since: wall, by: .device(voucher.id),
            may: voucher.may.subtracting([.vouch]), crypto)
        if let known = pins[pin.id] {
            guard known.box == vouch.box else { throw Refused(.notForThis) }
            return .again(reply: receipt(of: letter))
        }
        guard !pins.wasDistrusted(pin.id) else { throw Refused(.distrusted) }
        guard vouch.count > voucher.count else { throw Refused(.oldCount) }
        pin = try trust(pin, &pins)
        take(vouch.count, of: voucher, &pins)
        return .vouched(pin, by: voucher.id, reply: receipt(of: letter))
    }

    private mutating func distrusted(
        _ distrust: Distrust, _ letter: SignedLetter, _ pins: inout PinBook, _ now: Int64
    ) throws(Refused) -> Outcome {
        let device = try signer(of: distrust, letter, pins)
        guard device.may(.vouch) || device.id == distrust.distrusted else { throw Refused(.notTrusted) }
        if pins.wasDistrusted(distrust.distrusted) { return .again(reply: receipt(of: letter)) }
        guard pins[distrust.distrusted] != nil else { throw Refused(.notForThis) }
        guard distrust.count > device.count else { throw Refused(.oldCount) }
        guard distrusts.add(of: device.id, max: limits.distrustsPerDayMax, at: now) else { throw Refused(.tooMany) }
        take(distrust.count, of: device, &pins)
        guard let pin = pins.distrust(distrust.distrusted) else { preconditionFailure("it was there a moment ago") }
        return .distrusted(pin, by: device.id, reply: receipt(of: letter))
    }

    private func bumped(_ bump: Bump, _ letter: SignedLetter, _ pins: inout PinBook) throws(Refused) -> Outcome {
        guard bump.host == identity.id else { throw Refused(.notForThis) }
        guard let pin = pins[bump.device] else { throw Refused(.notTrusted) }
        guard letter.isSigned(by: pin.sign, crypto) else { throw Refused(.badSignature) }
        guard pin.isSuspended else { return .again(reply: receipt(of: letter)) }
        guard bump.generation == pins.generation else { throw Refused(.restored) }
        guard pins.resume(pin.id, count: bump.count), let resumed = pins[pin.id] else { throw Refused(.oldCount) }
        return .resumed(resumed, reply: receipt(of: letter))
    }

    private mutating func passkeyAsked(
        _ ask: PasskeyAsk, _ letter: SignedLetter, _ now: Int64, _ wall: Int64, _ pins: inout PinBook
    ) throws(Refused) -> Outcome {
        let device = try signer(of: ask, letter, pins)
        guard crypto.isOnCurve(ask.passkey.bytes) else { throw Refused(.badSignature) }
        if device.passkeys.contains(where: ask.isFor) { return .again(reply: receipt(of: letter)) }
        let known = device.askedPasskey.flatMap { ask.isFor($0) ? $0 : nil }
        let passkey = known ?? Passkey(sign: ask.passkey, origin: ask.origin, since: wall)
        if known == nil {
            guard ask.count > device.count else { throw Refused(.oldCount) }
            guard device.passkeys.count < PinBook.passkeysMax else { throw Refused(.full) }
            take(ask.count, of: device, &pins)
            pins.ask(passkey, of: device.id)
        }
        return .passkeyAsked(
            passkey, by: device, ask: crypto.hash(letter.body), isNew: known == nil,
            reply: refusal(.waiting, of: letter, pins.generation, for: device.id, now))
    }

    private mutating func asked(_ ask: Ask, _ letter: SignedLetter, _ pins: PinBook, _ now: Int64) throws(Refused) -> Outcome {
        guard ask.host == identity.id else { throw Refused(.notForThis) }
        guard let pin = pins[ask.device] else { throw Refused(.notTrusted) }
        guard letter.isSigned(by: pin.sign, crypto) else { throw Refused(.badSignature) }
        // Whoever repeats a device's letters silences none but that one.
        guard takesSignature(for: pin.id, now) else {
            return .ignored(ConsentError(.full, at: "letter", "too many letters in a minute"))
        }
        let hash = crypto.hash(letter.body)
        return .asked(by: pin.id, ask: hash, reply: roll(for: hash, pins))
    }

    /// The list of devices, as an answer to the letter with the hash `ask`.
    package func roll(for ask: ConsentHash, _ pins: PinBook) -> [UInt8] {
        SignedLetter(.roll(Roll(of: pins, sign: identity.sign, letter: ask)), by: identity, crypto).bytes
    }

    /// The trusted device that signed a letter for this host.
    private func signer(of statement: some Statement, _ letter: SignedLetter, _ pins: PinBook) throws(Refused) -> Pin {
        guard statement.host == identity.id else { throw Refused(.notForThis) }
        guard let pin = pins[statement.device] else { throw Refused(.notTrusted) }
        guard letter.isSigned(by: pin.sign, crypto) else { throw Refused(.badSignature) }
        guard !pin.isSuspended else { throw Refused(.restored) }
        return pin
    }

    private func trust(_ pin: Pin, _ pins: inout PinBook, forgetting: Bool = false) throws(Refused) -> Pin {
        do throws(ConsentError) { return try pins.trust(pin, forgetting: forgetting) } catch { throw Refused(.full) }
    }

    private func take(_ count: Int64, of pin: Pin, _ pins: inout PinBook) {
        let isTaken = pins.take(count, of: pin.id)
        precondition(isTaken, "a count was compared before it is taken")
    }

    // MARK: Replies

    private func receipt(of letter: SignedLetter) -> [UInt8] { receipt(of: crypto.hash(letter.body)) }

    /// The signed receipt for the letter with this hash.
    package func receipt(of letter: ConsentHash) -> [UInt8] {
        SignedLetter(.receipt(Receipt(sign: identity.sign, letter: letter)), by: identity, crypto).bytes
    }

    private mutating func refusal(
        _ reason: Refusal.Reason, of letter: SignedLetter, _ generation: Generation, for device: KeyID?,
        _ now: Int64
    ) -> [UInt8]? {
        guard takesSignature(for: device, now) else { return nil }
        let refusal = Refusal(
            sign: identity.sign, letter: crypto.hash(letter.body), reason: reason, generation: generation)
        return SignedLetter(.refusal(refusal), by: identity, crypto).bytes
    }

    /// Counts a reply that is signed. Returns false if there were too many in this minute.
    private mutating func takesSignature(for device: KeyID?, _ now: Int64) -> Bool {
        let max = device == nil ? limits.refusalsPerMinuteMax : limits.answersPerDeviceMax
        return signatures.add(of: device, max: max, at: now)
    }
}

extension SignedLetter {
    /// The device that it says it is by, of letters that name one.
    fileprivate var device: KeyID? {
        switch letter {
        case .vouch(let vouch): vouch.device
        case .distrust(let distrust): distrust.device
        case .bump(let bump): bump.device
        case .passkey(let ask): ask.device
        case .ask(let ask): ask.device
        case .join, .admit, .introduction, .roll, .receipt, .refusal: nil
        }
    }
}
