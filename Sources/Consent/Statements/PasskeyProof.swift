/// A browser's assertion that a person was there and confirmed one statement with a passkey (WebAuthn Level 2, §7.2).
package struct PasskeyProof: Hashable, Sendable {
    /// A hash, a byte of flags and a counter; more with extensions.
    package static let authenticatorBytesMax = 256
    private static let authenticatorBytesMin = 37
    /// The browser's JSON with the challenge and an origin.
    package static let clientBytesMax = 1_024

    /// `authenticatorData`.
    package let authenticator: [UInt8]
    /// `clientDataJSON`.
    package let client: [UInt8]
    /// R then S over `authenticator ‖ SHA-256(client)`.
    package let signature: [UInt8]

    /// Nil if a part has an impossible size.
    package init?(authenticator: [UInt8], client: [UInt8], signature: [UInt8]) {
        guard (Self.authenticatorBytesMin...Self.authenticatorBytesMax).contains(authenticator.count),
            (1...Self.clientBytesMax).contains(client.count), signature.count == SignatureText.signatureBytes
        else { return nil }
        (self.authenticator, self.client, self.signature) = (authenticator, client, signature)
    }
}
