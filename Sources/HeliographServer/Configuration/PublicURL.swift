import RelayAccess

/// An address of a relay as others type it, and as it precedes a pairing code.
package enum PublicURL {
    package static let takes = "an address that begins with https:// (or http://), such as https://relay.example"

    /// Without slashes at its end; nil for what is no such address.
    package static func read(_ text: String) -> String? {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), RelayAddress(text) != nil else { return nil }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}
