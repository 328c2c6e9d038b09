import Consent
import Foundation
import RelayProtocol
import Testing

/// `Fixtures/vectors.json`: the scheme's bytes, which OpenSSL in C and WebCrypto in Node, Firefox and Chromium were shown to verify.
struct Vectors {
    static let all = Vectors("vectors")
    /// `Fixtures/details.json`: the bytes that those have none of, made by a script in Python.
    static let details = Vectors("details")
    /// `Fixtures/sealing.json`: sealed content, made by a script for Node.
    static let sealing = Vectors("sealing")

    /// `Fixtures/passkeys.json`: a passkey's letter and proof, made by a script in Python.
    static let passkeys = Vectors("passkeys")

    private let document: JSONDocument

    private init(_ name: String) {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let file = try! Data(contentsOf: folder.appending(path: "Fixtures/\(name).json"))
        document = try! JSONDocument(parsing: [UInt8](file))
    }

    /// A value by the names on its way, such as `pair.join`.
    func value(_ path: String) throws -> JSONValue {
        try path.split(separator: ".").reduce(document.root) { value, name in
            try #require(value.members().first { $0.key == name }?.value, "no \(path)")
        }
    }

    func text(_ path: String) throws -> String { try value(path).string() }

    func number(_ path: String) throws -> Int64 { try value(path).integer() }

    /// The bytes of a base64url text.
    func bytes(_ path: String) throws -> [UInt8] { try #require(Base64URL.bytes(text(path)), "\(path) is no base64url") }

    func fixed<Form>(_ path: String, _: FixedBytes<Form>.Type = FixedBytes<Form>.self) throws -> FixedBytes<Form> {
        try #require(FixedBytes<Form>(bytes(path)), "\(path) has another form")
    }
}
