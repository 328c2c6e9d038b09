/// A host did not do what a letter asks. It has no tag: the relay could forge one only by leaving the letter unanswered, which it can anyway;
/// a device whose host is pinned checks the signature.
///
/// domain("refusal") ‖ LP(host sign) ‖ LP(SHA-256(body of the letter)) ‖ LP(reason) ‖ LP(generation 16)
package struct Refusal: Sendable, Equatable {
    package enum Reason: String, Sendable, CaseIterable {
        /// The host does not show that secret, or it has expired.
        case unknownSecret
        /// The secret was already used by another device.
        case usedSecret
        /// The host has reached its limit of devices.
        case full
        /// The signature is not by the key that the letter names, or a point is not one.
        case badSignature
        /// The host does not trust the device that signed, or the device lacks the right.
        case notTrusted
        /// The host was restored from older files; a `bump` with the refusal's generation helps.
        case restored
        /// The host has taken a letter, prompt or command with this or a higher count before.
        case oldCount
        /// The device was distrusted at this host; only its terminal can bring it back.
        case distrusted
        /// The device has had as many others distrusted today as it may.
        case tooMany
        /// The letter is for another host, or of a kind that hosts do not answer.
        case notForThis
        /// A person at the host's terminal has to say yes to the passkey first.
        case waiting

        /// The reason in words, for a person. `host` is its name.
        package func sentence(host: String) -> String {
            switch self {
            case .unknownSecret:
                "\(host) does not know this code, or its ten minutes are over. Show a new one there: `heliograph host trust`."
            case .usedSecret:
                "This code has already been used by another device. Show a new one at \(host): `heliograph host trust`."
            case .full: "\(host) trusts as many devices as it can. Remove one there: `heliograph host devices`."
            case .badSignature: "\(host) could not verify this device's signature. Pair this device again."
            case .notTrusted: "This device is not trusted by \(host) for this."
            case .restored: "\(host) was restored from older files and waits for this device's count."
            case .oldCount: "\(host) has already had a later command of this device."
            case .distrusted: "\(host) was told not to trust this device any more."
            case .tooMany:
                "This device has had many others distrusted at \(host) today. Do it at its terminal: `heliograph host distrust`."
            case .notForThis: "\(host) has no answer to this letter."
            case .waiting: "\(host) waits for a yes at its terminal: `heliograph host passkey`."
            }
        }
    }

    package var sign: SigningPoint
    package var letter: ConsentHash
    package var reason: Reason
    package var generation: Generation

    package init(sign: SigningPoint, letter: ConsentHash, reason: Reason, generation: Generation) {
        self.sign = sign
        self.letter = letter
        self.reason = reason
        self.generation = generation
    }

    private static let reasonBytesMax = 32

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "refusal")
        try reader.domain("refusal")
        sign = try reader.fixed("sign")
        letter = try reader.fixed("letter")
        let word = String(validating: try reader.part("reason", countMax: Self.reasonBytesMax), as: UTF8.self)
        guard let reason = word.flatMap(Reason.init) else {
            throw ConsentError(.badValue, at: reader.place("reason"), "this version knows no such reason")
        }
        self.reason = reason
        generation = try reader.fixed("generation")
        try reader.end()
    }

    package var body: [UInt8] {
        var writer = StatementWriter(domain: "refusal")
        writer.part(sign)
        writer.part(letter)
        writer.part(reason.rawValue)
        writer.part(generation)
        return writer.bytes
    }
}
