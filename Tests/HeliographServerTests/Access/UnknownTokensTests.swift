import Testing

@testable import HeliographServer

/// Tokens that peers presented and that are not known.
@Suite struct UnknownTokensTests {
    private func digest(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    @Test func `a token is in doubt until the tokens were read, and refuted from then on`() {
        let unknown = UnknownTokens()
        #expect(unknown.note(digest(1)) == .doubted && unknown.note(digest(1)) == .doubted)
        let read = unknown.doubted
        #expect(unknown.note(digest(2)) == .doubted)
        unknown.wereRead(read)
        #expect(unknown.note(digest(1)) == .refuted && unknown.note(digest(2)) == .doubted)
        unknown.forget()
        #expect(unknown.note(digest(1)) == .doubted)
    }

    @Test func `where no more can be noted, nobody is refuted for that`() {
        let unknown = UnknownTokens()
        for number in 0..<UnknownTokens.countMax { #expect(unknown.note(digest(number)) == .doubted) }
        #expect(unknown.note(digest(10_000)) == .unnoted && unknown.note(digest(10_000)) == .unnoted)
        #expect(unknown.note(digest(7)) == .doubted, "one that is noted already")
        #expect(unknown.doubted.count == UnknownTokens.countMax)
        unknown.wereRead(unknown.doubted)
        #expect(unknown.note(digest(7)) == .refuted && unknown.note(digest(10_000)) == .doubted)
    }
}
