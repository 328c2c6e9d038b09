package import RelayProtocol

extension InputDigest {
    package var bytes: [UInt8] { Hexadecimal.bytes(rawValue) }

    package init(_ hash: ConsentHash) {
        guard let digest = InputDigest(Hexadecimal.text(hash.bytes)) else {
            preconditionFailure("a SHA-256 in hexadecimal is a digest")
        }
        self = digest
    }
}

extension PictureDigest {
    var bytes: [UInt8] { Hexadecimal.bytes(rawValue) }
}

enum Hexadecimal {
    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }

    /// `text` is lowercase hexadecimal digits, an even number of them.
    static func bytes(_ text: String) -> [UInt8] {
        let values = text.utf8.map { $0 < UInt8(ascii: "a") ? $0 - UInt8(ascii: "0") : $0 - UInt8(ascii: "a") + 10 }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
