/// SHA-256 of the exact tool input that an approval is about, as 64 lowercase hexadecimal digits.
///
/// The host computes it over `heliograph.input.v1`, a zero byte, the tool's name, a zero byte, and the bytes of the input as
/// the agent wrote them. With offers it is `heliograph.input.v2`, a zero byte, the tool's name, a zero byte, each offer as the wire has it, a
/// zero byte, what the agent is told of it where it is chosen, a zero byte, and then one more and the input. A decision carries it back, and the host applies the decision to no other input.
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
