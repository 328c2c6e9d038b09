internal import HeliographCrypto
package import RelayCore
internal import RelayProtocol

extension KeptPicture {
    /// What it says that it is, by its bytes.
    package var isIntact: Bool { Crypto.hex(Crypto.sha256(content)) == named.digest.rawValue }
}
