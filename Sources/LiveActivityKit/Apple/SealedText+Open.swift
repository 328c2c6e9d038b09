#if canImport(CryptoKit)
import CryptoKit
public import Foundation

extension SealedText {
    /// `key`: 32 bytes. Throws `notAuthentic` for text that was changed or sealed for another key, `badPayload` for text that is not an
    /// alert.
    public func open(with key: Data) throws(LiveActivityError) -> Opened {
        let text: Data
        do {
            guard key.count == Self.keyBytes else { throw CryptoKitError.incorrectKeySize }
            text = try AES.GCM.open(AES.GCM.SealedBox(combined: combined), using: SymmetricKey(data: key))
        } catch { throw LiveActivityError(.notAuthentic, "the text was changed, or sealed for another key") }
        return try Opened(json: text)
    }
}
#endif
