internal import HeliographCrypto
package import RelayProtocol

extension PushAddress {
    /// The address's key in tables: SHA-256, 32 bytes.
    package var digest: [UInt8] { Crypto.sha256([UInt8]("\(service.rawValue) \(text)".utf8)) }
}
