internal import HeliographCrypto

/// The key pair that identifies this relay to push services. A subscription belongs to the key that it was made with, for life.
package struct VAPIDKey: Sendable {
    private let key: ES256PrivateKey
    /// 65 bytes in base64url: the page's `applicationServerKey`, and `k` of each request.
    package let publicText: String

    /// Throws `keyUnusable` unless it is a key on P-256.
    package init(pem: String) throws(WebPushError) {
        do {
            self.init(try ES256PrivateKey(pem: pem))
        } catch {
            throw WebPushError(.keyUnusable, error.message)
        }
    }

    /// Makes a new key.
    package init() { self.init(ES256PrivateKey()) }

    private init(_ key: ES256PrivateKey) {
        self.key = key
        publicText = Crypto.base64URL(key.publicKey.point)
    }

    /// PKCS #8. Secret.
    package var pem: String { key.pem }

    /// The JSON Web Token of RFC 8292, valid until `expiresAt` in seconds since 1970.
    func token(for origin: WebPushOrigin, expiresAt: Int64, contact: VAPIDContact) -> String {
        // Neither origin nor contact can have characters that JSON escapes.
        let claims = #"{"aud":"\#(origin)","exp":\#(expiresAt),"sub":"\#(contact.text)"}"#
        let signed = Self.head + "." + Crypto.base64URL(Array(claims.utf8))
        return signed + "." + Crypto.base64URL(key.signature(of: Array(signed.utf8)))
    }

    private static let head = Crypto.base64URL(Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8))
}
