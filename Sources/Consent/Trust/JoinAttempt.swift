/// A device's side of pairing with one host, or with the hosts of a device that vouches for it: it has the letter to repeat until
/// it is answered, and reads the answer.
package struct JoinAttempt: Sendable {
    /// The host, or the device that vouches.
    package let host: KeyID
    private let isToDevice: Bool
    private let pairKey: [UInt8]
    private let join: ConsentHash
    private let crypto: ConsentCrypto
    /// What `letter` on the wire carries.
    package let letter: [UInt8]

    /// `host` is the host or device that the secret names; for a secret of any host of the machine, the key that this host is said
    /// to have. `name` is the joining device's, spelled as `ConsentName` says.
    package init(
        _ secret: TrustSecret, host: KeyID, by identity: ConsentIdentity, name: String, nonce: Nonce, _ crypto: ConsentCrypto
    ) {
        precondition(secret.isFor(host), "a secret of one host or device joins that one")
        precondition(ConsentName.isSpelled(name), "a name is one line of at most 256 bytes")
        self.host = host
        self.crypto = crypto
        isToDevice = secret.isOfDevice
        pairKey = secret.pairKey(with: host, crypto)
        let join = Join(host: host, sign: identity.sign, box: identity.box, name: name, nonce: nonce)
        self.join = crypto.hash(join.body)
        letter = SignedLetter(.join(join), by: identity, pairKey: pairKey, crypto).bytes
    }

    package enum Outcome: Sendable, Equatable {
        /// Admitted by the host. Both sides show the short code of the device's own id.
        case admitted(HostPin)
        /// Introduced by a device. There are `of` hosts in all, and an introduction for each.
        case introduced(HostPin, of: Int64)
        case refused(Refusal.Reason)
    }

    /// Throws if the letter is no answer to this join by that host or device; the caller then ignores it.
    package func answer(_ bytes: [UInt8], wall: Int64) throws(ConsentError) -> Outcome {
        let letter = try SignedLetter(parsing: bytes)
        switch letter.letter {
        case .admit(let admit) where !isToDevice:
            try check(letter, admit.sign, admit.join, of: "admit")
            guard crypto.isOnCurve(admit.box.bytes) else {
                throw ConsentError(.badPoint, at: "admit.box", "this is not on the curve")
            }
            return .admitted(HostPin(sign: admit.sign, box: admit.box, name: admit.name, since: wall, crypto))
        case .refusal:
            return .refused(try LetterAnswer.refusal(letter, of: join, by: host, crypto).reason)
        case .introduction(let introduction) where isToDevice:
            try check(letter, introduction.sign, introduction.join, of: "introduce")
            guard crypto.isOnCurve(introduction.hostSign.bytes), crypto.isOnCurve(introduction.hostBox.bytes) else {
                throw ConsentError(.badPoint, at: "introduce.host", "this is not on the curve")
            }
            let pin = HostPin(
                sign: introduction.hostSign, box: introduction.hostBox, name: introduction.hostName, since: wall, crypto)
            return .introduced(pin, of: introduction.hosts)
        case .join, .admit, .introduction, .vouch, .distrust, .bump, .passkey, .ask, .roll, .receipt:
            throw ConsentError(.badDomain, at: "letter.body", "this is no answer to a join")
        }
    }

    private func check(
        _ letter: SignedLetter, _ sign: SigningPoint, _ join: ConsentHash, of name: String
    ) throws(ConsentError) {
        guard KeyID(of: sign, crypto) == host else {
            throw ConsentError(.notAuthentic, at: "\(name).sign", "this is another one's key")
        }
        guard join == self.join else { throw ConsentError(.notAuthentic, at: "\(name).join", "this answers another join") }
        guard letter.isTagged(with: pairKey, crypto) else {
            throw ConsentError(.notAuthentic, at: "\(name).tag", "its sender does not know the secret")
        }
        guard letter.isSigned(by: sign, crypto) else {
            throw ConsentError(.notAuthentic, at: "\(name).signature", "this is not signed by its sender's key")
        }
    }
}
