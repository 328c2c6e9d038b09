/// A push service's host: one connection and one token each.
package struct WebPushOrigin: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16

    static let defaultPort: UInt16 = 443

    /// As in a URL, and as the `aud` of a token has to be: with the port only if it is not the usual one.
    package var authority: String { port == Self.defaultPort ? host : "\(host):\(port)" }

    package var description: String { "https://\(authority)" }
}
