package import RelayProtocol

/// Why bytes, a text or a file of consent were refused: a closed code, the place, and a sentence without the value.
package struct ConsentError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// Too short, too long, or with bytes after the end.
        case badLength
        /// Not the kind of statement or letter that it should be.
        case badDomain
        /// Not UTF-8, not base64url in its one spelling, or a text with control characters.
        case badText
        /// Not a point of P-256 in its uncompressed form.
        case badPoint
        /// A number, word or version that is none of those allowed.
        case badValue
        /// The file is not JSON of the expected shape.
        case badFile
        /// The book has as many entries as it may have.
        case full
        /// The key is there already, or was distrusted.
        case known
        /// The tag or signature is wrong, or made by another key.
        case notAuthentic
        /// The other side said no; the sentence has its reason.
        case refused
    }

    package let code: Code
    /// Place of the fault: `join.name`, `signature.number`, `$.devices[3].sign`.
    package let path: String
    package let message: String

    package init(_ code: Code, at path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    package init(_ error: WireError) { self.init(.badFile, at: error.path, error.message) }

    package var description: String { "\(code.rawValue) at \(path): \(message)" }
}
