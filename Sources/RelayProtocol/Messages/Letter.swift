/// Bytes that a client exchanges with a host or another client through the relay, which neither reads nor stores them. A letter is
/// lost if its receiver is not connected: the sender repeats it until it is answered.
package struct Letter: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Nil if there are no bytes, or more than `WireLimits.letterBytesMax`.
    package init?(_ bytes: [UInt8]) {
        guard (1...WireLimits.letterBytesMax).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    init(from value: JSONValue) throws(WireError) {
        let text = try value.required("bytes")
        let spelled = try text.string(bytesMax: Base64URL.textCount(of: WireLimits.letterBytesMax))
        guard let letter = Base64URL.bytes(spelled).flatMap(Letter.init) else {
            throw WireError(.badValue, at: text.path, "a letter is at least one byte in base64url without padding")
        }
        self = letter
    }

    func write(to writer: inout JSONWriter) { writer.field("bytes", Base64URL.text(bytes)) }
}
