import HeliographCrypto
import Testing

@Suite struct HKDFTests {
    // RFC 5869, appendix A, test cases 1 to 3.
    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 22), Array(0x00...0x0C), Array(0xF0...0xF9),
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                Array(0x00...0x4F), Array(0x60...0xAF), Array(0xB0...0xFF),
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
            ),
            (
                [UInt8](repeating: 0x0B, count: 22), [], [],
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ] as [([UInt8], [UInt8], [UInt8], String)])
    func `it derives as the standard's examples`(secret: [UInt8], salt: [UInt8], info: [UInt8], derived: String) {
        let key = HKDF.extract(secret, salt: salt)
        let count = derived.utf8.count / 2
        #expect(Crypto.hex(HKDF.expand(key, info: info, count: count)) == derived)
        #expect(HKDF.expand(key, info: info, count: 0).isEmpty)
        let longest = HKDF.expand(key, info: info, count: 255 * Crypto.digestBytes)
        #expect(longest.count == 8_160 && Crypto.hex(Array(longest.prefix(count))) == derived)
    }
}
