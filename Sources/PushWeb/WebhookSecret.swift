internal import HeliographCrypto

/// The key with which requests to one webhook are signed, after Standard Webhooks:
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md. It is not shown in any description.
package struct WebhookSecret: Equatable, Sendable {
    private let key: [UInt8]

    private static let prefix = "whsec_"
    /// Lengths of a key, as the specification says.
    private static let keyBytes = 24...64

    /// `whsec_` and 24 to 64 bytes in base64; nil otherwise.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let key = Crypto.bytes(base64: String(text.dropFirst(Self.prefix.count))),
            Self.keyBytes.contains(key.count)
        else { return nil }
        self.key = key
    }

    /// Value of `webhook-signature` for an attempt that is sent at `seconds` since 1970.
    func signature(id: String, seconds: Int64, _ body: [UInt8]) -> String {
        "v1," + Crypto.base64(Crypto.authenticationCode(of: Array("\(id).\(seconds).".utf8) + body, with: key))
    }
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(Self.prefix)…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
