/// Error of a refused message: a closed code, the place in the message, and a sentence.
///
/// It is sent to the peer in a `notice` or a `reply`, and never contains the offending value, which could be a secret.
package struct WireError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes are not JSON according to RFC 8259.
        case badJSON
        case badUTF8
        case duplicateKey
        case loneSurrogate
        /// Nested deeper than `JSONDocument.depthMax`, or an event deeper than `WireLimits.eventDepthMax`.
        case tooDeep
        case missingField
        case wrongType
        /// A number outside its range, a text longer than its limit, a list with too many entries.
        case outOfRange
        /// An identifier, digest or closed word with invalid spelling.
        case badValue
        /// A message type that this version, or this role, does not know.
        case unknownType
    }

    package let code: Code
    private let place: Place
    package let message: String

    /// The place of the error, as text or as a value whose path is computed on demand: that takes a pass over all values before it,
    /// and readers that try one shape after another discard many errors.
    private enum Place: Sendable {
        case path(String)
        /// A value of a document, and the rest of the path below it.
        case value(JSONDocument, Int, then: String)
    }

    package init(_ code: Code, at path: String, _ message: String) {
        self.code = code
        place = .path(path)
        self.message = message
    }

    init(_ code: Code, at index: Int, then suffix: String = "", of document: JSONDocument, _ message: String) {
        self.code = code
        place = .value(document, index, then: suffix)
        self.message = message
    }

    /// The path of the value, such as `$.events[3].kind`, or `byte 17` if the JSON itself is invalid.
    package var path: String {
        switch place {
        case .path(let path): path
        case .value(let document, let index, let suffix): document.path(to: index) + suffix
        }
    }

    package var description: String { "\(code.rawValue) at \(path): \(message)" }

    package static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.message == right.message && left.path == right.path
    }

    static func unknownType(_ type: String) -> WireError {
        // The name is the peer's own text, so it is shown only in part.
        WireError(.unknownType, at: "$.type", "this relay does not know messages of type \"\(type.prefix(64))\"")
    }
}
