internal import HeliographCrypto
package import RelayCore
internal import RelayProtocol

extension KeptPicture {
    /// True if the content has the digest in its name.
    package var isIntact: Bool { Crypto.hex(Crypto.sha256(content)) == named.digest.rawValue }
}
