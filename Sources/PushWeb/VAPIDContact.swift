/// Where a push service can ask somebody about our pushes: the `sub` of its token. Apple refuses what cannot be reached with a 403 that
/// does not say why.
package struct VAPIDContact: Hashable, Sendable {
    /// `https://…` or `mailto:…`.
    package let text: String

    private static let bytesMax = 512

    /// Throws `invalidContact`, with the reason.
    package init(_ text: String) throws(WebPushError) {
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy(Self.isAllowed) else {
            throw Self.invalid("has characters that do not belong into one, such as a space, < or >")
        }
        let host: Substring
        if text.hasPrefix("https://") {
            let authority = text.dropFirst("https://".count).prefix { !"/?".contains($0) }
            host = authority.prefix { $0 != ":" }
            guard !authority.contains("@") else { throw Self.invalid("has a user in its address") }
        } else if text.hasPrefix("mailto:") {
            let parts = text.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !text.contains("?") else {
                throw Self.invalid("is not one mail address")
            }
            host = parts[1]
        } else {
            throw Self.invalid("begins with neither https:// nor mailto:")
        }
        if let reason = HostName.privacy(of: host) { throw Self.invalid("cannot be reached from outside: \(reason)") }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !Array(##""#<>\^`{|},;()"##.utf8).contains(byte)
    }

    private static func invalid(_ reason: String) -> WebPushError {
        WebPushError(
            .invalidContact,
            "push services want an address where somebody can be asked, https://… or mailto:… with a public name; this one \(reason)"
        )
    }
}
