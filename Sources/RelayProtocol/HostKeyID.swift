/// Identifies a host's public keys: 16 bytes of a hash over its signing key, in base64url.
///
/// Each value has one spelling, so that two are equal exactly if their bytes are. The relay compares them and proves nothing by
/// them.
package struct HostKeyID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16

    package let rawValue: String

    package init?(_ rawValue: String) {
        guard rawValue.utf8.count == 22, Base64URL.bytes(rawValue)?.count == Self.byteCount else { return nil }
        self.rawValue = rawValue
    }

    package var bytes: [UInt8] {
        guard let bytes = Base64URL.bytes(rawValue) else { preconditionFailure("a key's id is spelled as one") }
        return bytes
    }

    package var description: String { rawValue }
}

extension JSONValue {
    func hostKeyID(_ key: StaticString) throws(WireError) -> HostKeyID {
        let value = try required(key)
        guard let id = HostKeyID(try value.string(bytesMax: 22)) else {
            throw WireError(.badValue, at: value.path, "a key's id is 16 bytes in base64url without padding")
        }
        return id
    }

    func optionalHostKeyID(_ key: StaticString) throws(WireError) -> HostKeyID? {
        optional(key) == nil ? nil : try hostKeyID(key)
    }
}

extension JSONWriter {
    mutating func field(_ key: StaticString, _ id: HostKeyID?) { field(key, id?.rawValue) }
}
