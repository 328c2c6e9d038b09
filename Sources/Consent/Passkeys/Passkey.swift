/// A host's own record of a passkey, with which the person at a device confirms an allow.
package struct Passkey: Sendable, Equatable {
    package let sign: SigningPoint
    package let origin: PasskeyOrigin
    /// When its device asked for it, in milliseconds since 1970.
    package let since: Int64

    package init(sign: SigningPoint, origin: PasskeyOrigin, since: Int64) {
        (self.sign, self.origin, self.since) = (sign, origin, since)
    }

    /// Made like a device's id. Page and terminal show its short code.
    package func id(_ crypto: ConsentCrypto) -> KeyID { KeyID(of: sign, crypto) }
}
