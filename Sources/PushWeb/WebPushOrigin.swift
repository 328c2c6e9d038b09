/// A push service's host: one connection and one token each.
package struct WebPushOrigin: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16
    /// Without TLS. Only what the operator has named may be called so.
    package let isPlain: Bool

    static let defaultPort: UInt16 = 443
    static let plainDefaultPort: UInt16 = 80

    init(host: String, port: UInt16, isPlain: Bool = false) { (self.host, self.port, self.isPlain) = (host, port, isPlain) }

    var scheme: String { isPlain ? "http" : "https" }

    /// As in a URL, and as the `aud` of a token has to be: with the port only if it is not the usual one.
    package var authority: String { port == Self.usualPort(isPlain: isPlain) ? host : "\(host):\(port)" }

    package var description: String { "\(scheme)://\(authority)" }

    static func usualPort(isPlain: Bool) -> UInt16 { isPlain ? plainDefaultPort : defaultPort }
}
