/// The body of `POST /v1/register`.
package struct RegistrationCall: Equatable, Sendable {
    /// Names the workspace that is asked for: until somebody has entered it, the same key gets codes for it again.
    package var key: String?

    package init(key: String?) { self.key = key }

    /// Without a body there is no key.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard !bytes.isEmpty else { return }
        key = try JSONDocument(parsing: bytes).root.object().optionalString("key", bytesMax: WireLimits.secretBytesMax)
    }

    package var bytes: [UInt8] { JSONWriter.object { $0.field("key", key) } }
}
