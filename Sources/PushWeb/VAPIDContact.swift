/// A contact for questions about our pushes: the `sub` of a token. Apple refuses an unreachable one with a 403 that does not say why.
package struct VAPIDContact: Hashable, Sendable {
    /// `https://…` or `mailto:…`.
    package let text: String

    private static let bytesMax = 512

    /// Throws `invalidContact`, with the reason.
    package init(_ text: String) throws(WebPushError) {
        if let fault = Self.fault(in: text) {
            throw WebPushError(
                .invalidContact,
                "push services want an address where somebody can be asked, https://… or mailto:… with a public name; this one \(fault)"
            )
        }
        self.text = text
    }

    /// The fault: the end of a sentence that begins with "this one"; nil if it is valid.
    package static func fault(in text: String) -> String? {
        guard text.utf8.count <= bytesMax, text.utf8.allSatisfy(isAllowed) else {
            return "has characters that do not belong into one, such as a space, < or >, or is longer than \(bytesMax) bytes"
        }
        let host: Substring
        if text.hasPrefix("https://") {
            let authority = text.dropFirst("https://".count).prefix { !"/?".contains($0) }
            host = authority.prefix { $0 != ":" }
            guard !authority.contains("@") else { return "has a user in its address" }
        } else if text.hasPrefix("mailto:") {
            let parts = text.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !text.contains("?") else {
                return "is not one mail address"
            }
            host = parts[1]
        } else {
            return "begins with neither https:// nor mailto:"
        }
        return HostName.privacy(of: host).map { "cannot be reached from outside: \($0)" }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !Array(##""#<>\^`{|},;()"##.utf8).contains(byte)
    }
}
