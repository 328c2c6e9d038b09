internal import RelayProtocol

/// Makes aliases for the names in clients' commands, so that the relay can compare but not read them.
///
/// `alias = "~" ‖ base64url(first 9 bytes of HMAC-SHA-256(HKDF(epoch key, domain("alias") ‖ LP(host)), name))`
package struct AliasKey: Sendable {
    private let key: [UInt8]
    private let crypto: ConsentCrypto

    package init(of host: KeyID, _ epochKey: EpochKey, _ crypto: ConsentCrypto) {
        var info = StatementWriter(domain: "alias")
        info.part(host)
        key = crypto.hkdf(epochKey.bytes, info: info.bytes)
        self.crypto = crypto
    }

    package func alias(of name: String) -> String {
        "~" + Base64URL.text(crypto.hmacSHA256(Array(name.utf8), key).prefix(9))
    }
}
