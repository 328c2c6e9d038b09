internal import HeliographCrypto

/// A push's subject, for the push service: of two with one topic that wait for the same phone only the later one arrives. A digest, so
/// that the service learns nothing from it.
package struct WebPushTopic: Hashable, Sendable {
    /// 32 characters of base64url. Apple decodes it, and refuses lengths that no base64 has.
    package let text: String

    private static let digestBytes = 24

    /// Made of what the push is about, such as session and approval; other parts give another topic.
    package init(_ parts: [String]) {
        // A length before each: ["ab", "c"] is not ["a", "bc"].
        let bytes = parts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
        text = Crypto.base64URL(Array(Crypto.sha256(bytes).prefix(Self.digestBytes)))
    }
}
