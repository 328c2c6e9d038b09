internal import RelayProtocol

/// Ciphertext with what is needed to open it.
///
/// ```
/// 0x01 ‖ u32 epoch ‖ u64 number ‖ nonce(12) ‖ ciphertext and tag      an event, or a line
/// 0x02 ‖ u32 epoch ‖ nonce(12) ‖ ciphertext and tag                  live text
/// 0x03 ‖ u32 epoch ‖ nonce(12) ‖ ciphertext and tag                  words or keys of a person
/// 0x04 ‖ u32 epoch ‖ nonce(12) ‖ ciphertext and tag                  a picture
/// ```
/// As text base64url; in a text field it has the prefix `sealed.`.
package struct Sealed: Sendable, Equatable {
    package enum Shape: UInt8, Sendable, CaseIterable {
        case numbered = 1, live, words, picture
    }

    package let form: Shape
    package let epoch: EpochNumber
    /// The host's number of the event, in its session; 0 for shapes without a number.
    package let number: Int64
    package let nonce: SealingNonce
    package let ciphertext: [UInt8]

    init(_ form: Shape, epoch: EpochNumber, number: Int64, nonce: SealingNonce, ciphertext: [UInt8]) {
        self.form = form
        self.epoch = epoch
        self.number = number
        self.nonce = nonce
        self.ciphertext = ciphertext
    }

    package init(parsing bytes: [UInt8], as form: Shape) throws(ConsentError) {
        guard bytes.first == form.rawValue else {
            throw ConsentError(.badDomain, at: "sealed", "this is not sealed in the form \(form.rawValue)")
        }
        let headBytes = 5 + (form == .numbered ? 8 : 0)
        let textStart = headBytes + SealingNonce.count
        guard bytes.count >= textStart + ConsentCrypto.tagBytes, let nonce = SealingNonce(Array(bytes[headBytes..<textStart]))
        else { throw ConsentError(.badLength, at: "sealed", "this is too short to have been sealed") }
        let epoch = bytes[1..<5].reduce(EpochNumber(0)) { $0 << 8 | EpochNumber($1) }
        let number = bytes[5..<headBytes].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard epoch > 0 else { throw ConsentError(.badValue, at: "sealed.epoch", "epochs begin with 1") }
        guard form != .numbered || (1...UInt64(JSONValue.integerMax)).contains(number) else {
            throw ConsentError(.badValue, at: "sealed.number", "a whole number from 1 to \(JSONValue.integerMax)")
        }
        self.init(form, epoch: epoch, number: Int64(number), nonce: nonce, ciphertext: Array(bytes[textStart...]))
    }

    /// One value has one spelling; every other is refused.
    package init(text: String, as form: Shape) throws(ConsentError) {
        var spelled = Substring(text)
        if form != .numbered {
            guard Self.isSealed(text) else { throw ConsentError(.badText, at: "sealed", "this is not sealed") }
            spelled = text.dropFirst(Self.prefix.count)
        }
        guard let bytes = Base64URL.bytes(spelled) else {
            throw ConsentError(.badText, at: "sealed", "sealed bytes are in base64url without padding")
        }
        try self.init(parsing: bytes, as: form)
    }

    private static let prefix = "sealed."

    /// True if a text field claims to hold something sealed.
    package static func isSealed(_ text: String) -> Bool { text.hasPrefix(prefix) }

    package var bytes: [UInt8] {
        var writer = StatementWriter()
        writer.raw([form.rawValue])
        writer.number(epoch)
        if form == .numbered { writer.number(UInt64(number)) }
        writer.raw(nonce.bytes)
        writer.raw(ciphertext)
        return writer.bytes
    }

    package var text: String { (form == .numbered ? "" : Self.prefix) + Base64URL.text(bytes) }
}
