import HeliographCrypto
import Testing

@Suite struct CryptoTests {
    // FIPS 180-2, appendix B.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `a digest is that of the standard's examples`(text: String, digest: String) {
        #expect(Crypto.hex(Crypto.sha256(text)) == digest)
        #expect(Crypto.hex(Crypto.sha256(Array(text.utf8))) == digest)
    }

    @Test func `a digest of pieces is the digest of the whole`() {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for cut in [0, 1, 63, 64, 65, 999, 1_000] {
            var hash = SHA256()
            hash.update(bytes[..<cut])
            hash.update([])
            hash.update(sequence(state: bytes[cut...].makeIterator()) { $0.next() })
            #expect(hash.finish() == Crypto.sha256(bytes), "cut at \(cut)")
        }
    }

    @Test func `bytes are equal only where all of them are`() {
        #expect(Crypto.equal([], []))
        #expect(Crypto.equal([1, 2, 3], [1, 2, 3]))
        #expect(!Crypto.equal([1, 2, 3], [1, 2, 4]))
        #expect(!Crypto.equal([1, 2, 3], [1, 2]))
        #expect(!Crypto.equal([], [0]))
    }

    @Test func `random bytes are as many as asked for and do not repeat`() {
        #expect(Crypto.random(count: 0).isEmpty)
        #expect(Crypto.random(count: 33).count == 33)
        #expect(Set((0..<1_000).map { _ in Crypto.random(count: 16) }).count == 1_000)
    }

    // RFC 4648 §10, without the padding; the last has both letters that differ from plain base64.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("~~~?", "fn5-Pw"), ("???", "Pz8_"),
    ])
    func `base64url is that of the standard's examples, there and back`(text: String, spelling: String) {
        #expect(Crypto.base64URL(Array(text.utf8)) == spelling)
        #expect(Crypto.bytes(base64URL: spelling) == Array(text.utf8))
    }

    @Test(arguments: ["A", "Zg==", "Zh", "Zm9", "Zm9v+", "Zm 9", "Zm9vY", "é"])
    func `base64url refuses what it would not write itself`(text: String) {
        #expect(Crypto.bytes(base64URL: text) == nil)
    }

    @Test func `base64url carries every byte`() {
        for count in 0...70 {
            let bytes = Crypto.random(count: count)
            #expect(Crypto.bytes(base64URL: Crypto.base64URL(bytes)) == bytes)
        }
    }

    @Test func `hexadecimal has two lowercase digits a byte`() {
        #expect(Crypto.hex([0, 1, 0x7f, 0x80, 0xff]) == "00017f80ff")
    }

    @Test func `an authentication code is the one of RFC 4231`() {
        let code = Crypto.authenticationCode(of: Array("what do ya want for nothing?".utf8), with: Array("Jefe".utf8))
        #expect(Crypto.hex(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = Crypto.authenticationCode(
            of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), with: [UInt8](repeating: 0xaa, count: 131)
        )
        #expect(Crypto.hex(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func `base64 has one spelling for each value`() {
        let values: [(String, String)] = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        for (text, spelled) in values {
            #expect(Crypto.base64(Array(text.utf8)) == spelled)
            #expect(Crypto.bytes(base64: spelled) == Array(text.utf8))
        }
        #expect(Crypto.base64([0xfb, 0xff, 0xfe]) == "+//+")
        #expect(Crypto.bytes(base64: "+//+") == [0xfb, 0xff, 0xfe])
        for wrong in ["Zg", "Zg=", "Zg===", "Zh==", "-__-", "Z g=", "=", "Zm9v="] {
            #expect(Crypto.bytes(base64: wrong) == nil)
        }
    }
}
