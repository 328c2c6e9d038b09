/// The keys of a host or device as its process may use them: the public points, and the one thing that needs a private key here.
package struct ConsentIdentity: Sendable {
    package let id: KeyID
    package let sign: SigningPoint
    package let box: BoxPoint
    /// 64 bytes R‖S by the key of `sign`.
    package let signature: @Sendable (_ bytes: [UInt8]) -> [UInt8]

    package init(
        sign: SigningPoint, box: BoxPoint, _ crypto: ConsentCrypto, signature: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        id = KeyID(of: sign, crypto)
        self.sign = sign
        self.box = box
        self.signature = signature
    }
}
