/// The keys of a host or device: the public points, and the two operations that need a private key, which stays out of reach.
package struct ConsentIdentity: Sendable {
    package let id: KeyID
    package let sign: SigningPoint
    package let box: BoxPoint
    /// 64 bytes R‖S by the key of `sign`.
    package let signature: @Sendable (_ bytes: [UInt8]) -> [UInt8]
    /// The secret of the key of `box` and that point by ECDH, 32 bytes; nil if the point is not on the curve. Derive a key from it
    /// (HKDF) before any use.
    package let agreement: @Sendable (_ point: BoxPoint) -> [UInt8]?

    package init(
        sign: SigningPoint, box: BoxPoint, _ crypto: ConsentCrypto, signature: @escaping @Sendable ([UInt8]) -> [UInt8],
        agreement: @escaping @Sendable (BoxPoint) -> [UInt8]?
    ) {
        id = KeyID(of: sign, crypto)
        self.sign = sign
        self.box = box
        self.signature = signature
        self.agreement = agreement
    }
}
