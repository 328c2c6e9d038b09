internal import HeliographCrypto

/// Subject of a push: of two with the same topic that wait for a phone, the push service delivers only the later one. A digest, so
/// that the service learns nothing from it.
package struct WebPushTopic: Hashable, Sendable {
    /// 32 characters of base64url. Apple decodes it, and refuses lengths that no base64 has.
    package let text: String

    private static let digestBytes = 24

    /// Built from parts such as session and approval; other parts give another topic.
    package init(_ parts: [String]) {
        // A length before each part, so that ["ab", "c"] differs from ["a", "bc"].
        let bytes = parts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
        text = Crypto.base64URL(Array(Crypto.sha256(bytes).prefix(Self.digestBytes)))
    }
}
