internal import HeliographCrypto

/// A browser's push subscription, checked.
package struct WebPushSubscription: Hashable, Sendable {
    package let endpoint: WebPushEndpoint
    /// `p256dh`: the browser's key, a point on P-256.
    let publicKey: [UInt8]
    /// `auth`: a secret that the push service does not know.
    let authentication: [UInt8]

    private static let authenticationBytes = 16

    /// The three texts of `PushSubscription.toJSON()`, keys in base64url without padding. Throws `invalidEndpoint`, `serviceNotAllowed` or
    /// `invalidKeys`.
    package init(
        endpoint: String, p256dh: String, auth: String, of services: WebPushServices = WebPushServices()
    ) throws(WebPushError) {
        self.endpoint = try WebPushEndpoint(endpoint, of: services)
        guard let publicKey = Crypto.bytes(base64URL: p256dh), (try? ES256PublicKey(point: publicKey)) != nil else {
            throw WebPushError(.invalidKeys, "p256dh is a point of the curve P-256: 65 bytes in base64url without padding")
        }
        guard let authentication = Crypto.bytes(base64URL: auth), authentication.count == Self.authenticationBytes else {
            throw WebPushError(.invalidKeys, "auth is \(Self.authenticationBytes) bytes in base64url without padding")
        }
        (self.publicKey, self.authentication) = (publicKey, authentication)
    }
}

extension WebPushSubscription: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { endpoint.description }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
