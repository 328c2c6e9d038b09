package import Consent
internal import HeliographCrypto
internal import RelayProtocol

/// The private keys of a host, or of a terminal, and the format of its file, which the process writes with mode 0600.
///
/// ```
/// {"version":1,"sign":S,"box":S,"generation":G}
/// ```
/// S is the private number, 32 bytes, and G the generation of a host's files, 16 random bytes, both in base64url.
package struct PrivateKeys: Sendable {
    /// Three short values, with any white space between them.
    package static let fileBytesMax = 1 << 10
    private static let version: Int64 = 1

    private let sign: ES256PrivateKey
    private let box: P256AgreementKey
    /// See `PinBook.begin(keyFile:fresh:)`.
    package var generation: Generation
    package let identity: ConsentIdentity

    /// Makes keys. Traps if the system has no randomness.
    package init() { self.init(sign: ES256PrivateKey(), box: P256AgreementKey(), .random()) }

    private init(sign: ES256PrivateKey, box: P256AgreementKey, _ generation: Generation) {
        self.sign = sign
        self.box = box
        self.generation = generation
        guard let signPoint = SigningPoint(sign.publicKey.point), let boxPoint = BoxPoint(box.point) else {
            preconditionFailure("OpenSSL spells points in their uncompressed form")
        }
        identity = ConsentIdentity(sign: signPoint, box: boxPoint, .openSSL) {
            sign.signature(of: $0)
        } agreement: {
            try? box.secret(with: $0.bytes)
        }
    }

    /// The error names the place of the fault.
    package init(parsing bytes: [UInt8]) throws(ConsentError) {
        let file = try JSONValue.file(bytes, bytesMax: Self.fileBytesMax, version: Self.version)
        do throws(WireError) {
            let (sign, box) = (try Self.key(file, "sign"), try Self.key(file, "box"))
            guard let generation = Generation(text: try file.string("generation")),
                let agreement = try? P256AgreementKey(scalar: box.scalar)
            else { throw WireError(.badValue, at: "$.generation", "16 bytes in base64url") }
            self.init(sign: sign, box: agreement, generation)
        } catch { throw ConsentError(error) }
    }

    private static func key(_ file: JSONValue, _ name: StaticString) throws(WireError) -> ES256PrivateKey {
        let value = try file.required(name)
        guard let scalar = Base64URL.bytes(try value.string()), let key = try? ES256PrivateKey(scalar: scalar) else {
            throw WireError(.badValue, at: value.path, "this is not a private key of P-256: 32 bytes in base64url")
        }
        return key
    }

    /// The file. Secret.
    package var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("version", Self.version)
            $0.field("sign", Base64URL.text(sign.scalar))
            $0.field("box", Base64URL.text(box.scalar))
            $0.field("generation", generation.text)
        }
    }
}

extension FixedBytes {
    /// Unpredictable bytes, for salts, nonces, generations and secrets.
    package static func random() -> FixedBytes {
        guard let value = FixedBytes(Crypto.random(count: count)) else { preconditionFailure("points are not made at random") }
        return value
    }
}
