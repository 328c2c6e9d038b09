/// SHA-256 of the exact tool input of an approval, as 64 lowercase hexadecimal digits.
///
/// The host computes it over `heliograph.input.v1`, a zero byte, the tool's name, a zero byte, and the input's bytes as the agent wrote
/// them. With offers it is `heliograph.input.v2`, a zero byte, the tool's name, a zero byte, each offer as the wire has it, a zero byte,
/// the agent's reply if that offer is chosen, a zero byte, and then one more and the input. A decision carries the digest back, and the
/// host applies it to no other input.
package struct InputDigest: Hashable, Sendable {
    package let rawValue: String

    package init?(_ rawValue: String) {
        let isHexadecimal = rawValue.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        guard rawValue.utf8.count == 64, isHexadecimal else { return nil }
        self.rawValue = rawValue
    }
}

extension JSONValue {
    func digest(_ key: StaticString) throws(WireError) -> InputDigest {
        let value = try required(key)
        guard let digest = InputDigest(try value.string()) else {
            throw WireError(.badValue, at: value.path, "a digest has 64 lowercase hexadecimal digits")
        }
        return digest
    }
}
