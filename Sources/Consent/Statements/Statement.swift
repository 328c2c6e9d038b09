/// Something that a device signs: exact bytes, which the host builds from its own fields and never takes from the wire.
package protocol Statement: Sendable, Equatable {
    /// The host that it is for.
    var host: KeyID { get }
    /// The device that signs it.
    var device: KeyID { get }
    /// The time or count that its signature's text carries.
    var number: Int64 { get }
    /// The bytes to sign.
    var bytes: [UInt8] { get }
}

extension Statement {
    package func signed(by identity: ConsentIdentity) -> SignatureText {
        guard identity.id == device,
            let text = SignatureText(device: device, number: number, signature: identity.signature(bytes))
        else { preconditionFailure("a device signs its own statements, with 64 bytes") }
        return text
    }

    package func isSigned(_ text: SignatureText, by point: SigningPoint, _ crypto: ConsentCrypto) -> Bool {
        text.device == device && text.number == number && crypto.verify(text.signature, bytes, point.bytes)
    }
}
