/// A size and a form that some bytes must have.
package protocol FixedForm: Sendable {
    static var count: Int { get }
    static func accepts(_ bytes: [UInt8]) -> Bool
}

extension FixedForm {
    package static func accepts(_: [UInt8]) -> Bool { true }
}

/// Bytes of a fixed size, in text as base64url. `Form` keeps a key's name from being taken for a salt.
package struct FixedBytes<Form: FixedForm>: Hashable, Sendable, CustomStringConvertible {
    package static var count: Int { Form.count }

    package let bytes: [UInt8]

    /// Nil if there are more or fewer of them, or they do not have the form.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Form.count, Form.accepts(bytes) else { return nil }
        self.bytes = bytes
    }

    /// Nil as well for another spelling than `text`.
    package init?(text: some StringProtocol) {
        // A byte has more than one digit: what is longer is not decoded.
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
    /// In place of one that is not known or not needed.
    package static var unknown: Generation {
        guard let zeros = Generation([UInt8](repeating: 0, count: count)) else { preconditionFailure("zeros are bytes") }
        return zeros
    }
}
