package import RelayProtocol

/// Name of a host's or a device's identity: the first 16 bytes of SHA-256(domain("key") ‖ its signing point). 22 characters as text.
package typealias KeyID = FixedBytes<KeyIDForm>

package enum KeyIDForm: FixedForm { package static let count = 16 }

/// The public half of a signing key: 65 bytes, uncompressed. The form alone is checked; that it is on the curve is the crypto's business.
package typealias SigningPoint = FixedBytes<SigningPointForm>
/// The public half of a key that agrees on secrets, in the same form.
package typealias BoxPoint = FixedBytes<BoxPointForm>

package enum SigningPointForm: PointForm {}
package enum BoxPointForm: PointForm {}

package protocol PointForm: FixedForm {}

extension PointForm {
    package static var count: Int { 65 }
    package static func accepts(_ bytes: [UInt8]) -> Bool { bytes.first == 4 }
}

extension KeyID {
    package init(of point: SigningPoint, _ crypto: ConsentCrypto) {
        let hash = crypto.sha256(StatementWriter.prefix("key") + point.bytes)
        guard let id = KeyID(Array(hash.prefix(Self.count))) else { preconditionFailure("a SHA-256 has 32 bytes") }
        self = id
    }

    /// `XXXX-XXXX-XXXX-XXXX`: the first 80 bits, for people who compare two screens. Crockford's base 32: 0-9 and A-Z without I, L, O and U.
    ///
    /// So many that nobody finds another key with the same code: a relay could search for one before it hands on a newcomer's letter.
    package var shortCode: String {
        let groups = [0, 5].flatMap { first -> [String] in
            let bits = bytes[first..<first + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let letters = (0..<8).map { Self.crockfordDigits[Int(bits >> UInt64(35 - 5 * $0) & 31)] }
            return [letters[..<4], letters[4...]].map { String(decoding: $0, as: UTF8.self) }
        }
        return groups.joined(separator: "-")
    }

    private static var crockfordDigits: [UInt8] { Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8) }
}

extension HostKeyID {
    package init(_ id: KeyID) {
        guard let key = HostKeyID(id.text) else { preconditionFailure("16 bytes in base64url are a key's id") }
        self = key
    }
}
