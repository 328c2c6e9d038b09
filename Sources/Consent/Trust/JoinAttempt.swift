/// A device's part in pairing with one host: the letter to repeat until it is answered, and what the answer means.
package struct JoinAttempt: Sendable {
    package let host: KeyID
    private let pairKey: [UInt8]
    private let join: ConsentHash
    private let crypto: ConsentCrypto
    /// What `letter` on the wire carries.
    package let letter: [UInt8]

    /// `host` is the one that the secret names, or what a host of the machine is said to have as its key. `name` is the device's, spelled as
    /// `ConsentName` says.
    package init(
        _ secret: TrustSecret, host: KeyID, by identity: ConsentIdentity, name: String, nonce: Nonce, _ crypto: ConsentCrypto
    ) {
        precondition(secret.isFor(host), "a secret of one host joins that host")
        precondition(ConsentName.isSpelled(name), "a name is one line of at most 256 bytes")
        self.host = host
        self.crypto = crypto
        pairKey = secret.pairKey(with: host, crypto)
        let join = Join(host: host, sign: identity.sign, box: identity.box, name: name, nonce: nonce)
        self.join = crypto.hash(join.body)
        letter = SignedLetter(.join(join), by: identity, pairKey: pairKey, crypto).bytes
    }

    package enum Outcome: Sendable, Equatable {
        /// The short code of the device's own id is shown on both sides.
        case admitted(HostPin)
        case refused(Refusal.Reason)
    }

    /// Throws if the letter is no answer to this join by that host: it is then as if it had not come.
    package func answer(_ bytes: [UInt8], wall: Int64) throws(ConsentError) -> Outcome {
        let letter = try SignedLetter(parsing: bytes)
        switch letter.letter {
        case .admit(let admit):
            guard KeyID(of: admit.sign, crypto) == host else {
                throw ConsentError(.notAuthentic, at: "admit.sign", "this is the key of another host")
            }
            guard admit.join == join else { throw ConsentError(.notAuthentic, at: "admit.join", "this answers another join") }
            guard letter.isTagged(with: pairKey, crypto) else {
                throw ConsentError(.notAuthentic, at: "admit.tag", "whoever made this does not know the secret")
            }
            guard letter.isSigned(by: admit.sign, crypto), crypto.isOnCurve(admit.box.bytes) else {
                throw ConsentError(.notAuthentic, at: "admit.signature", "this is not signed by the host's key")
            }
            return .admitted(HostPin(sign: admit.sign, box: admit.box, name: admit.name, since: wall, crypto))
        case .refusal:
            return .refused(try LetterAnswer.refusal(letter, of: join, by: host, crypto).reason)
        case .join, .vouch, .distrust, .bump, .ask, .roll, .receipt:
            throw ConsentError(.badDomain, at: "letter.body", "this is no answer to a join")
        }
    }
}
