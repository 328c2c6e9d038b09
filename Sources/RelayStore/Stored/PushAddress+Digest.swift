internal import HeliographCrypto
package import RelayProtocol

extension PushAddress {
    /// What tables know it by: SHA-256, 32 bytes.
    package var digest: [UInt8] { Crypto.sha256([UInt8]("\(service.rawValue) \(text)".utf8)) }
}
