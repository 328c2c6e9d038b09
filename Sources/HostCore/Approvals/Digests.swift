package import RelayProtocol

/// Names and comparisons by SHA-256. The process supplies the function, because pure targets link no library.
package struct Digests: Sendable {
    /// The SHA-256 function; its result is in lower-case hexadecimal digits.
    private let sha256: @Sendable ([UInt8]) -> String

    package init(sha256: @escaping @Sendable ([UInt8]) -> String) { self.sha256 = sha256 }

    /// Digest of a tool's exact input and of the options offered with it. A decision must be for this digest.
    package func input(tool: String, _ input: [UInt8], offers: [AgentOffer] = []) -> InputDigest {
        let name = Array(tool.utf8) + [0]
        guard !offers.isEmpty else { return digest(Array("heliograph.input.v1".utf8) + [0] + name + input) }
        var bytes: [UInt8] = Array("heliograph.input.v2".utf8) + [0] + name
        // JSON has no zero byte, so no two lists have the same bytes; one more zero ends the list.
        for offer in offers { bytes += offer.shown.bytes + [0] + offer.bytes + [0] }
        return digest(bytes + [0] + input)
    }

    /// Digest of the answers by question, in whatever order they come.
    package func answers(_ answers: [(question: String, value: String)]) -> InputDigest {
        let sorted = answers.sorted { ($0.question, $0.value) < ($1.question, $1.value) }
        let members = sorted.map { JSONWriter.string($0.question) + [UInt8(ascii: ":")] + JSONWriter.string($0.value) }
        return digest(Array(members.joined(separator: [0])))
    }

    /// A name for these parts. It is not secret, and differs for other parts: the same question asked later gets another name.
    package func approval(_ parts: [String]) -> ApprovalID {
        guard let id = ApprovalID("a" + name(parts.joined(separator: "\u{0}")).prefix(24)) else {
            preconditionFailure("hexadecimal digits are an identifier")
        }
        return id
    }

    package func name(_ text: String) -> String { sha256(Array(text.utf8)) }

    private func digest(_ bytes: [UInt8]) -> InputDigest {
        guard let digest = InputDigest(sha256(bytes)) else {
            preconditionFailure("a SHA-256 in hexadecimal is a digest")
        }
        return digest
    }
}
