/// A host's answer to a vouch, distrust or bump.
package enum LetterAnswer: Sendable, Equatable {
    case done
    /// The generation is the host's present one, for a `bump`.
    case refused(Refusal.Reason, Generation)

    /// Throws if the letter is no answer of that host to `statement`; the caller then ignores it.
    package init(
        _ bytes: [UInt8], to statement: some Statement, by host: KeyID, _ crypto: ConsentCrypto
    ) throws(ConsentError) {
        let letter = try SignedLetter(parsing: bytes)
        let hash = crypto.hash(statement.bytes)
        switch letter.letter {
        case .receipt(let receipt):
            try Self.check(letter, receipt.sign, receipt.letter == hash, by: host, crypto)
            self = .done
        case .refusal:
            let refusal = try Self.refusal(letter, of: hash, by: host, crypto)
            self = .refused(refusal.reason, refusal.generation)
        case .join, .admit, .introduction, .vouch, .distrust, .bump, .passkey, .ask, .roll:
            throw ConsentError(.badDomain, at: "letter.body", "this is no answer")
        }
    }

    /// The devices that a host trusts. Throws if the letter is no answer of that host to `ask`.
    package static func roll(
        _ bytes: [UInt8], to ask: Ask, by host: KeyID, _ crypto: ConsentCrypto
    ) throws(ConsentError) -> Roll {
        let letter = try SignedLetter(parsing: bytes)
        guard case .roll(let roll) = letter.letter else {
            throw ConsentError(.badDomain, at: "letter.body", "this is no roll")
        }
        try check(letter, roll.sign, roll.letter == crypto.hash(ask.body), by: host, crypto)
        return roll
    }

    static func refusal(
        _ letter: SignedLetter, of body: ConsentHash, by host: KeyID, _ crypto: ConsentCrypto
    ) throws(ConsentError) -> Refusal {
        guard case .refusal(let refusal) = letter.letter else {
            throw ConsentError(.badDomain, at: "letter.body", "this is no refusal")
        }
        try check(letter, refusal.sign, refusal.letter == body, by: host, crypto)
        return refusal
    }

    private static func check(
        _ letter: SignedLetter, _ sign: SigningPoint, _ isForThis: Bool, by host: KeyID, _ crypto: ConsentCrypto
    ) throws(ConsentError) {
        guard KeyID(of: sign, crypto) == host, letter.isSigned(by: sign, crypto) else {
            throw ConsentError(.notAuthentic, at: "letter.signature", "this is not signed by that host")
        }
        guard isForThis else { throw ConsentError(.notAuthentic, at: "letter.hash", "this answers another letter") }
    }
}
