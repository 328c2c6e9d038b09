/// Host of a push service, with one connection and one token.
package struct WebPushOrigin: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16
    /// True for a host without TLS, allowed only if the operator has named it.
    package let isPlain: Bool

    static let defaultPort: UInt16 = 443
    static let plainDefaultPort: UInt16 = 80

    init(host: String, port: UInt16, isPlain: Bool = false) { (self.host, self.port, self.isPlain) = (host, port, isPlain) }

    var scheme: String { isPlain ? "http" : "https" }

    /// Host as in a URL and in the `aud` of a token: with the port unless that is the default.
    package var authority: String { port == Self.usualPort(isPlain: isPlain) ? host : "\(host):\(port)" }

    package var description: String { "\(scheme)://\(authority)" }

    static func usualPort(isPlain: Bool) -> UInt16 { isPlain ? plainDefaultPort : defaultPort }
}
