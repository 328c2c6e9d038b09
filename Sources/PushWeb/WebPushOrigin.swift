/// A push service's host: one connection and one token each.
package struct WebPushOrigin: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16

    static let defaultPort: UInt16 = 443

    /// As a URL spells it, and as the `aud` of a token has to: the port only where it is not the usual one.
    package var authority: String { port == Self.defaultPort ? host : "\(host):\(port)" }

    package var description: String { "https://\(authority)" }
}
