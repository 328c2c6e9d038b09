internal import RelayProtocol

/// A signature as `signature` on the wire carries it: `1.` ‖ device id ‖ `.` ‖ number ‖ `.` ‖ base64url(R‖S).
///
/// The number is `issuedAt` (milliseconds since 1970) with a decision, and the device's count with a prompt or another command.
package struct SignatureText: Hashable, Sendable {
    package static let signatureBytes = 64
    /// `1.`, 22 and 86 characters of base64url, a number of 16 digits, two dots.
    package static let bytesMax = 128

    package let device: KeyID
    /// 0 to `JSONValue.integerMax`: every client has numbers so large.
    package let number: Int64
    /// R then S.
    package let signature: [UInt8]

    /// Nil if the number is out of its range, or the signature has another size.
    package init?(device: KeyID, number: Int64, signature: [UInt8]) {
        guard (0...JSONValue.integerMax).contains(number), signature.count == Self.signatureBytes else { return nil }
        self.device = device
        self.number = number
        self.signature = signature
    }

    /// Strict: each value has one spelling.
    package init(parsing text: String) throws(ConsentError) {
        guard text.utf8.count <= Self.bytesMax else {
            throw ConsentError(.badLength, at: "signature", "longer than \(Self.bytesMax) bytes")
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { throw ConsentError(.badValue, at: "signature", "four parts with dots between them") }
        guard parts[0] == "1" else { throw ConsentError(.badValue, at: "signature.version", "this version knows 1 alone") }
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
    }

    package var text: String { "1.\(device.text).\(number).\(Base64URL.text(signature))" }
}
