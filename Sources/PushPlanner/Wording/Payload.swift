/// Room for the planner's text in a payload of any channel, in bytes of JSON without the quotes. A channel with less cuts it.
package enum Payload {
    /// For `AlertText.start`, which is read at a glance.
    package static let startTextBytesMax = 256
    /// For `compose`: the text of an alert, beside everything else in its payload.
    package static let alertTextBytesMax = 3_000
    /// Largest size of a code that replaces `CODE`.
    package static let codeBytesMax = 128
    /// Plaintext of `PushSeal`: in base64, with nonce and tag, it fits next to a generic alert.
    package static let sealedTextBytesMax = 2_400
    /// For `compose` with sealed text, which also holds the field names and the code.
    package static let sealedAlertTextBytesMax = sealedTextBytesMax - codeBytesMax - 64
}
