/// A host did what a vouch, distrust or bump asks, now or when it came the first time.
///
/// domain("receipt") ‖ LP(host sign) ‖ LP(SHA-256(body of the letter))
package struct Receipt: Sendable, Equatable {
    package var sign: SigningPoint
    package var letter: ConsentHash

    package init(sign: SigningPoint, letter: ConsentHash) {
        self.sign = sign
        self.letter = letter
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "receipt")
        try reader.domain("receipt")
        sign = try reader.fixed("sign")
        letter = try reader.fixed("letter")
        try reader.end()
    }

    package var body: [UInt8] {
        var writer = StatementWriter(domain: "receipt")
        writer.part(sign)
        writer.part(letter)
        return writer.bytes
    }
}
