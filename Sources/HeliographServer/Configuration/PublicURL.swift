import RelayAccess

/// A relay's address as people type it, and as it precedes a pairing code.
package enum PublicURL {
    package static let takes = "an address that begins with https:// (or http://), such as https://relay.example"

    /// Removes slashes at the end; nil if the text is no such address.
    package static func read(_ text: String) -> String? {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), RelayAddress(text) != nil else { return nil }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    /// An address without a path, as for the relay's own setting: its page requests everything from the root of its site.
    static func readSite(_ text: String) -> String? {
        read(text).flatMap { RelayAddress($0)?.prefix.isEmpty == true ? $0 : nil }
    }

    static let takesSite = takes + ", without a path: the relay needs a name, or a port, of its own"
}
