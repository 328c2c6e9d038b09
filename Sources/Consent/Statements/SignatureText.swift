internal import RelayProtocol

/// A signature as `signature` on the wire carries it: `1.` ‖ device id ‖ `.` ‖ number ‖ `.` ‖ base64url(R‖S). With a passkey's proof it
/// begins with `2.`, and `.` ‖ base64url(authenticatorData) ‖ `.` ‖ base64url(clientDataJSON) ‖ `.` ‖ base64url(R‖S) follow.
///
/// The number is `issuedAt` (milliseconds since 1970) with a decision, and the device's count with a prompt or another command.
package struct SignatureText: Hashable, Sendable {
    package static let signatureBytes = 64
    /// `1.`, 22 and 86 characters of base64url, a number of 16 digits, two dots.
    private static let plainBytesMax = 128
    /// Three dots, 342, 1,366 and 86 characters more: within `WireLimits.signatureBytesMax`.
    package static let bytesMax = plainBytesMax + 3 + 342 + 1_366 + 86

    package let device: KeyID
    /// From 0 to `JSONValue.integerMax`, which every client can represent.
    package let number: Int64
    /// R then S.
    package let signature: [UInt8]
    package let proof: PasskeyProof?

    /// Nil if the number is out of its range, or the signature has another size.
    package init?(device: KeyID, number: Int64, signature: [UInt8], proof: PasskeyProof? = nil) {
        guard (0...JSONValue.integerMax).contains(number), signature.count == Self.signatureBytes else { return nil }
        self.device = device
        self.number = number
        self.signature = signature
        self.proof = proof
    }

    /// Strict: each value has one spelling.
    package init(parsing text: String) throws(ConsentError) {
        guard text.utf8.count <= Self.bytesMax else {
            throw ConsentError(.badLength, at: "signature", "longer than \(Self.bytesMax) bytes")
        }
        // By bytes: to look for characters costs the host more than the rest of a decision, but for its signature.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        guard parts[0] == "1" || parts[0] == "2" else {
            throw ConsentError(.badValue, at: "signature.version", "this version knows 1 and 2")
        }
        let count = parts[0] == "1" ? 4 : 7
        guard parts.count == count else {
            throw ConsentError(.badValue, at: "signature", "\(count) parts with dots between them")
        }
        guard let device = KeyID(text: parts[1]) else {
            throw ConsentError(.badText, at: "signature.device", "an id has 22 characters of base64url")
        }
        guard let number = Int64(parts[2]), String(number) == parts[2], (0...JSONValue.integerMax).contains(number) else {
            throw ConsentError(
                .badValue, at: "signature.number", "a whole number up to \(JSONValue.integerMax), in plain digits")
        }
        guard let bytes = Base64URL.bytes(parts[3]), bytes.count == Self.signatureBytes else {
            throw ConsentError(.badText, at: "signature.bytes", "a signature has 64 bytes in base64url")
        }
        self.device = device
        self.number = number
        signature = bytes
        proof = count == 4 ? nil : try Self.proof(parts[4...])
    }

    private static func proof(_ parts: ArraySlice<Substring>) throws(ConsentError) -> PasskeyProof {
        let bytes = parts.compactMap { Base64URL.bytes($0) }
        guard bytes.count == 3,
            let proof = PasskeyProof(authenticator: bytes[0], client: bytes[1], signature: bytes[2])
        else { throw ConsentError(.badText, at: "signature.proof", "three parts of base64url in the sizes that they can have") }
        return proof
    }

    package var text: String {
        let plain = "\(device.text).\(number).\(Base64URL.text(signature))"
        guard let proof else { return "1.\(plain)" }
        return "2.\(plain)." + [proof.authenticator, proof.client, proof.signature].map(Base64URL.text).joined(separator: ".")
    }
}
