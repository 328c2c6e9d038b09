public import Foundation

/// An alert's text, sealed with AES-256-GCM for one device: nonce, ciphertext and tag, in base64.
public struct SealedText: Sendable, Hashable {
    public static let keyBytes = 32
    static let nonceBytes = 12
    static let tagBytes = 16
    /// A push holds 4,096 bytes.
    static let base64Max = 4_096

    /// Nonce, ciphertext and tag in one piece, as CryptoKit takes it.
    public let combined: Data

    /// Throws `badPayload`.
    public init(base64: String) throws(LiveActivityError) {
        guard base64.utf8.count <= Self.base64Max, let combined = Data(base64Encoded: base64),
            combined.count >= Self.nonceBytes + Self.tagBytes
        else { throw LiveActivityError(.badPayload, "this is no sealed text") }
        self.combined = combined
    }

    /// The decrypted content.
    public struct Opened: Codable, Sendable, Hashable {
        public var title: String
        public var subtitle: String?
        public var body: String
        public var code: String?

        /// Throws `badPayload`.
        public init(json: Data) throws(LiveActivityError) {
            do { self = try JSONDecoder().decode(Opened.self, from: json) } catch {
                throw LiveActivityError(.badPayload, "what was sealed is no text of an alert")
            }
        }
    }
}
