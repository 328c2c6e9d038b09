import RelayAccess

/// An address of a relay as others type it, and as it precedes a pairing code.
package enum PublicURL {
    package static let takes = "an address that begins with https:// (or http://), such as https://relay.example"

    /// Without slashes at its end; nil for what is no such address.
    package static func read(_ text: String) -> String? {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), RelayAddress(text) != nil else { return nil }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    /// For the relay itself: its page asks for everything from the top of its site.
    static func readSite(_ text: String) -> String? {
        read(text).flatMap { RelayAddress($0)?.prefix.isEmpty == true ? $0 : nil }
    }

    static let takesSite = takes + ", without a path: the relay needs a name, or a port, of its own"
}
