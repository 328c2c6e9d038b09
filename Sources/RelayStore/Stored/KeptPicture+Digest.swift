internal import HeliographCrypto
package import RelayCore
internal import RelayProtocol

extension KeptPicture {
    /// True if the content matches the picture's digest.
    package var isIntact: Bool { Crypto.hex(Crypto.sha256(content)) == named.digest.rawValue }
}
