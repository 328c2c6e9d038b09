/// Letters between hosts and devices about trust. The relay carries them without reading them.
package enum LetterContent: Sendable, Equatable {
    case join(Join)
    case admit(Admit)
    case introduction(Introduction)
    case vouch(Vouch)
    case distrust(Distrust)
    case bump(Bump)
    case passkey(PasskeyAsk)
    case ask(Ask)
    case roll(Roll)
    case receipt(Receipt)
    case refusal(Refusal)

    /// The bytes that are signed, and authenticated by the tag.
    package var body: [UInt8] {
        switch self {
        case .join(let join): join.body
        case .admit(let admit): admit.body
        case .introduction(let introduction): introduction.body
        case .vouch(let vouch): vouch.bytes
        case .distrust(let distrust): distrust.bytes
        case .bump(let bump): bump.bytes
        case .passkey(let ask): ask.bytes
        case .ask(let ask): ask.body
        case .roll(let roll): roll.body
        case .receipt(let receipt): receipt.body
        case .refusal(let refusal): refusal.body
        }
    }

    /// Reads the content that the bytes' domain names.
    init(body: [UInt8]) throws(ConsentError) {
        func isA(_ domain: StaticString) -> Bool { body.starts(with: StatementWriter.prefix(domain)) }
        if isA("join") {
            self = .join(try Join(body: body))
        } else if isA("admit") {
            self = .admit(try Admit(body: body))
        } else if isA("introduce") {
            self = .introduction(try Introduction(body: body))
        } else if isA("vouch") {
            self = .vouch(try Vouch(body: body))
        } else if isA("distrust") {
            self = .distrust(try Distrust(body: body))
        } else if isA("bump") {
            self = .bump(try Bump(body: body))
        } else if isA("passkey") {
            self = .passkey(try PasskeyAsk(body: body))
        } else if isA("ask") {
            self = .ask(try Ask(body: body))
        } else if isA("roll") {
            self = .roll(try Roll(body: body))
        } else if isA("receipt") {
            self = .receipt(try Receipt(body: body))
        } else if isA("refusal") {
            self = .refusal(try Refusal(body: body))
        } else {
            throw ConsentError(.badDomain, at: "letter.body", "no letter of this version begins so")
        }
    }
}

/// A letter as it travels: u8 1 ‖ LP(body) ‖ LP(tag) ‖ LP(signature).
///
/// The tag is HMAC-SHA-256 of the body with the pair key, 32 bytes in `join`, `admit` and `introduce`, empty in all others. The signature is
/// 64 bytes R‖S over the body by the sender's signing key.
package struct SignedLetter: Sendable, Equatable {
    /// Size of a whole letter; on the wire it is base64url.
    package static let bytesMax = 4 << 10
    private static let version: UInt8 = 1
    private static let tagBytes = 32

    package let letter: LetterContent
    package let body: [UInt8]
    package let tag: [UInt8]
    package let signature: [UInt8]

    /// `pairKey` for `join`, `admit` and `introduce`.
    package init(_ letter: LetterContent, by identity: ConsentIdentity, pairKey: [UInt8]? = nil, _ crypto: ConsentCrypto) {
        precondition(
            letter.hasTag == (pairKey != nil), "a letter of the secret is authenticated by it, and no other")
        self.letter = letter
        body = letter.body
        tag = pairKey.map { [body] in crypto.hmacSHA256(body, $0) } ?? []
        signature = identity.signature(body)
    }

    /// Strict: `bytes` of the result equals the input.
    package init(parsing bytes: [UInt8]) throws(ConsentError) {
        guard bytes.count <= Self.bytesMax else {
            throw ConsentError(.badLength, at: "letter", "longer than \(Self.bytesMax) bytes")
        }
        guard bytes.first == Self.version else {
            throw ConsentError(.badValue, at: "letter.version", "this version knows 1 alone")
        }
        var reader = StatementReader(Array(bytes.dropFirst()), of: "letter")
        body = try reader.part("body", countMax: Self.bytesMax)
        tag = try reader.part("tag", countMax: Self.tagBytes)
        signature = try reader.part("signature", countMax: SignatureText.signatureBytes)
        try reader.end()
        letter = try LetterContent(body: body)
        guard tag.count == (letter.hasTag ? Self.tagBytes : 0) else {
            throw ConsentError(
                .badLength, at: "letter.tag", "the letters of a secret have a tag of 32 bytes, others none")
        }
        guard signature.count == SignatureText.signatureBytes else {
            throw ConsentError(.badLength, at: "letter.signature", "a signature has 64 bytes")
        }
    }

    package var bytes: [UInt8] {
        var writer = StatementWriter()
        writer.number(Self.version)
        writer.part(body)
        writer.part(tag)
        writer.part(signature)
        return writer.bytes
    }

    package func isTagged(with pairKey: [UInt8], _ crypto: ConsentCrypto) -> Bool {
        letter.hasTag && crypto.isSame(tag, crypto.hmacSHA256(body, pairKey))
    }

    package func isSigned(by point: SigningPoint, _ crypto: ConsentCrypto) -> Bool {
        crypto.verify(signature, body, point.bytes)
    }
}

extension LetterContent {
    fileprivate var hasTag: Bool {
        switch self {
        case .join, .admit, .introduction: true
        case .vouch, .distrust, .bump, .passkey, .ask, .roll, .receipt, .refusal: false
        }
    }
}
