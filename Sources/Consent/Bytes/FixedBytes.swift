internal import RelayProtocol

/// A size and a form that some bytes must have.
package protocol FixedForm: Sendable {
    static var count: Int { get }
    static func accepts(_ bytes: [UInt8]) -> Bool
}

extension FixedForm {
    package static func accepts(_: [UInt8]) -> Bool { true }
}

/// Bytes of a fixed size, base64url as text. `Form` makes keys, salts and hashes distinct types, so that none is passed for
/// another.
package struct FixedBytes<Form: FixedForm>: Hashable, Sendable, CustomStringConvertible {
    package static var count: Int { Form.count }

    package let bytes: [UInt8]

    /// Nil if the count or the form is wrong.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Form.count, Form.accepts(bytes) else { return nil }
        self.bytes = bytes
    }

    /// Nil also for any spelling other than that of `text`.
    package init?(text: some StringProtocol) {
        // A byte takes more than one character, so a longer text is refused before it is decoded.
        guard text.utf8.count <= 2 * Form.count, let bytes = Base64URL.bytes(text) else { return nil }
        self.init(bytes)
    }

    package var text: String { Base64URL.text(bytes) }
    package var description: String { text }
}

package enum HashForm: FixedForm { package static let count = 32 }
package enum SaltForm: FixedForm { package static let count = 16 }
package enum NonceForm: FixedForm { package static let count = 16 }
package enum GenerationForm: FixedForm { package static let count = 16 }

/// A SHA-256.
package typealias ConsentHash = FixedBytes<HashForm>
/// Random, for one approval: its digest cannot be guessed, and no old signature fits it.
package typealias Salt = FixedBytes<SaltForm>
/// Random, for one letter.
package typealias Nonce = FixedBytes<NonceForm>
/// Random, for one life of a host's process: its key file and its pins must have the same.
package typealias Generation = FixedBytes<GenerationForm>

extension Generation {
    /// Stands for a generation that is unknown or not needed.
    package static var unknown: Generation {
        guard let zeros = Generation([UInt8](repeating: 0, count: count)) else { preconditionFailure("zeros are bytes") }
        return zeros
    }
}
