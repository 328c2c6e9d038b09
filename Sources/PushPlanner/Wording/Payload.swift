/// The room that the planner's words have in a payload of any channel, in bytes of JSON without the quotes. A channel that has less cuts them.
package enum Payload {
    /// For `AlertText.start`: a glance.
    package static let startTextBytesMax = 256
    /// For `compose`: the words of an alert, with everything else that may be in its payload.
    package static let alertTextBytesMax = 3_000
    /// What `CODE` is replaced by, at most.
    package static let codeBytesMax = 128
    /// The plaintext of `PushSeal`: base64 of it, a nonce and a tag still fit next to a generic alert.
    package static let sealedTextBytesMax = 2_400
    /// For `compose` where its words are sealed: the names of the fields and the code are in there too.
    package static let sealedAlertTextBytesMax = sealedTextBytesMax - codeBytesMax - 64
}
