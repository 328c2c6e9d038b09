internal import Consent

/// Unpredictable bytes from one random seed of the process: HMAC-SHA-256 of a count, with the seed as its key. So a machine without
/// randomness of its own has a new salt for each approval.
struct FreshBytes: Sendable {
    static let seedBytes = 32

    private let seed: [UInt8]
    private let crypto: ConsentCrypto
    private var count: UInt64 = 0

    init(seed: [UInt8], _ crypto: ConsentCrypto) {
        precondition(seed.count == Self.seedBytes, "a seed has \(Self.seedBytes) random bytes")
        self.seed = seed
        self.crypto = crypto
    }

    mutating func next<Form>() -> FixedBytes<Form> {
        count += 1
        let bytes = crypto.hmacSHA256((0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }, seed)
        guard let value = FixedBytes<Form>(Array(bytes.prefix(Form.count))) else {
            preconditionFailure("a salt or nonce is any \(Form.count) bytes")
        }
        return value
    }
}
