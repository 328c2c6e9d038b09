/// A device's side of bringing another device to the hosts that trust it.
///
/// ```
/// open ─join─▶ asked ─accept─▶ vouching: a vouch for each host, and with its receipt an introduction for the newcomer
///                └─decline─▶ declined
/// ```
/// The secret brings one device, the first that proves that it knows it, and only after a person has compared the
/// codes on both screens.
package struct Vouching: Sendable {
    /// The device that asks to join.
    package struct Newcomer: Sendable, Equatable {
        package let id: KeyID
        package let name: String
        fileprivate let join: Join
        /// Hash of its last join: a device that was restarted makes another.
        fileprivate var hash: ConsentHash
    }

    private enum Stage: Sendable {
        /// Can become `asked`.
        case open
        /// A person compares the codes. Can become `vouching` or `declined`.
        case asked(Newcomer)
        case vouching(Newcomer)
        case declined(Newcomer)

        var newcomer: Newcomer? {
            switch self {
            case .open: nil
            case .asked(let newcomer), .vouching(let newcomer), .declined(let newcomer): newcomer
            }
        }
    }

    private struct Open: Sendable {
        let pin: HostPin
        let vouch: Vouch
        let letter: [UInt8]
    }

    private let identity: ConsentIdentity
    private let pairKey: [UInt8]
    private let crypto: ConsentCrypto
    private var stage = Stage.open
    /// Hosts that have not answered.
    private var open: [KeyID: Open] = [:]
    private var brought: [HostPin] = []

    /// `secret` names this device.
    package init(_ secret: TrustSecret, by identity: ConsentIdentity, _ crypto: ConsentCrypto) {
        precondition(secret.isFor(identity.id), "a device shows its own secrets")
        self.identity = identity
        self.crypto = crypto
        pairKey = secret.pairKey(with: identity.id, crypto)
    }

    // MARK: The newcomer

    /// True until a newcomer has come by the link.
    package var isOpen: Bool { if case .open = stage { true } else { false } }

    package enum Outcome: Sendable, Equatable {
        /// A join by the first device that knows the secret. Both screens show its short code.
        case asked(Newcomer)
        /// A repeated join: all replies so far.
        case again([[UInt8]])
        /// A join by another device that also knows the secret.
        case refused(reply: [UInt8])
        /// The letter is ignored, as if it had not come.
        case ignored(ConsentError)
    }

    package mutating func received(_ bytes: [UInt8]) -> Outcome {
        let letter: SignedLetter
        let join: Join
        do throws(ConsentError) {
            letter = try SignedLetter(parsing: bytes)
            join = try checked(letter)
        } catch { return .ignored(error) }
        let hash = crypto.hash(letter.body)
        guard var newcomer = stage.newcomer else {
            let newcomer = Newcomer(id: KeyID(of: join.sign, crypto), name: join.name, join: join, hash: hash)
            stage = .asked(newcomer)
            return .asked(newcomer)
        }
        guard newcomer.join.sign == join.sign, newcomer.join.box == join.box else {
            return .refused(reply: refusal(.usedSecret, of: hash))
        }
        newcomer.hash = hash
        switch stage {
        case .open: preconditionFailure("nobody has come")
        case .asked:
            stage = .asked(newcomer)
            return .again([])
        case .declined:
            stage = .declined(newcomer)
            return .again([refusal(.notTrusted, of: hash)])
        case .vouching:
            stage = .vouching(newcomer)
            return .again(introductions)
        }
    }

    private func checked(_ letter: SignedLetter) throws(ConsentError) -> Join {
        guard case .join(let join) = letter.letter else {
            throw ConsentError(.badDomain, at: "letter.body", "this is no join")
        }
        guard join.host == identity.id, letter.isTagged(with: pairKey, crypto) else {
            throw ConsentError(.notAuthentic, at: "join.tag", "its sender does not know the secret")
        }
        guard letter.isSigned(by: join.sign, crypto), crypto.isOnCurve(join.box.bytes) else {
            throw ConsentError(.notAuthentic, at: "join.signature", "this is not signed by its device's key")
        }
        guard KeyID(of: join.sign, crypto) != identity.id else {
            throw ConsentError(.known, at: "join.sign", "this is the device that shows the secret")
        }
        return join
    }

    // MARK: The person

    /// A person has confirmed that both screens show the same code. `count` is this device's next; each host compares it with its
    /// own last one.
    package mutating func accept(at hosts: [HostPin], count: Int64) {
        guard case .asked(let newcomer) = stage else { preconditionFailure("a person accepts a device that asks") }
        stage = .vouching(newcomer)
        for pin in hosts {
            let vouch = Vouch(
                host: pin.id, sign: newcomer.join.sign, box: newcomer.join.box, name: newcomer.name, count: count,
                device: identity.id)
            open[pin.id] = Open(
                pin: pin, vouch: vouch, letter: SignedLetter(.vouch(vouch), by: identity, crypto).bytes)
        }
    }

    /// Declines the newcomer. Returns the refusal to send.
    package mutating func decline() -> [UInt8] {
        guard case .asked(let newcomer) = stage else { preconditionFailure("a person declines a device that asks") }
        stage = .declined(newcomer)
        return refusal(.notTrusted, of: newcomer.hash)
    }

    // MARK: The hosts

    /// Vouches without an answer. Each is sent again until it has one.
    package var unanswered: [(host: HostPin, letter: [UInt8])] {
        open.values.map { ($0.pin, $0.letter) }.sorted { $0.0.id.text < $1.0.id.text }
    }

    package enum HostOutcome: Sendable, Equatable {
        case brought(HostPin)
        case refused(HostPin, Refusal.Reason)
    }

    /// Throws if it is no answer of that host to its vouch.
    package mutating func answered(_ bytes: [UInt8], by host: KeyID) throws(ConsentError) -> HostOutcome {
        guard let asked = open[host] else {
            throw ConsentError(.notAuthentic, at: "letter.hash", "this host was not asked")
        }
        switch try LetterAnswer(bytes, to: asked.vouch, by: host, crypto) {
        case .done:
            brought.append(asked.pin)
            open[host] = nil
            return .brought(asked.pin)
        case .refused(let reason, _):
            open[host] = nil
            return .refused(asked.pin, reason)
        }
    }

    /// All letters for the newcomer so far: an introduction to each host that trusts it, or a refusal once it is clear that none
    /// will.
    package var introductions: [[UInt8]] {
        guard case .vouching(let newcomer) = stage else { return [] }
        if brought.isEmpty, open.isEmpty { return [refusal(.notTrusted, of: newcomer.hash)] }
        return brought.map { pin in
            let introduction = Introduction(
                join: newcomer.hash, sign: identity.sign, host: pin, hosts: Int64(brought.count + open.count))
            return SignedLetter(.introduction(introduction), by: identity, pairKey: pairKey, crypto).bytes
        }
    }

    private func refusal(_ reason: Refusal.Reason, of join: ConsentHash) -> [UInt8] {
        let refusal = Refusal(sign: identity.sign, letter: join, reason: reason, generation: .unknown)
        return SignedLetter(.refusal(refusal), by: identity, crypto).bytes
    }
}
