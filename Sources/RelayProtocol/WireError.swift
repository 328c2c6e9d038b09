/// Why a message was refused: a closed code, the place in the message, and a sentence.
///
/// It goes to the peer as a `notice` or in a `reply`; it never carries the offending value, which could be a secret.
package struct WireError: Error, Equatable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes are not JSON as RFC 8259 has it.
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
        /// An identifier, digest or closed word that is not spelled as it must be.
        case badValue
        /// A message type that this version, or this role, does not know.
        case unknownType
    }

    package let code: Code
    /// `$.events[3].kind`, or `byte 17` where the JSON itself is broken.
    package let path: String
    package let message: String

    package init(_ code: Code, at path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    static func unknownType(_ type: String) -> WireError {
        // The name is the peer's own text: shown, but never at length.
        WireError(.unknownType, at: "$.type", "this relay does not know messages of type \"\(type.prefix(64))\"")
    }
}
