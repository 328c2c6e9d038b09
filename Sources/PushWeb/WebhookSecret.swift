internal import HeliographCrypto

/// The key with which requests to one webhook are signed, after Standard Webhooks:
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md. No description shows it.
package struct WebhookSecret: Equatable, Sendable {
    private let key: [UInt8]

    private static let prefix = "whsec_"
    /// As the specification says.
    private static let keyBytes = 24...64

    /// `whsec_` and 24 to 64 bytes in base64; nil for what is none.
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
