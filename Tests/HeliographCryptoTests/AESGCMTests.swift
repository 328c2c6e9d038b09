import HeliographCrypto
import Testing

@Suite struct AESGCMTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).map { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)!
        }
    }

    // McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 1, 2, 4, 13, 14 and 16.
    @Test(arguments: [
        (String(repeating: "00", count: 16), String(repeating: "00", count: 12), "", "", "58e2fccefa7e3061367f1d57a4e7455a"),
        (
            String(repeating: "00", count: 16), String(repeating: "00", count: 12), "00000000000000000000000000000000", "",
            "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"
        ),
        (
            "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47"
        ),
        (String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "", "530f8afbc74536b9a963b4f1c4cb738b"),
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12), "00000000000000000000000000000000", "",
            "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ])
    func `it seals and opens as the standard's examples`(
        key: String, nonce: String, text: String, known: String, sealed: String
    ) throws {
        let made = AESGCM.seal(
            Self.bytes(text), with: Self.bytes(key), nonce: Self.bytes(nonce), authenticating: Self.bytes(known))
        #expect(Crypto.hex(made) == sealed)
        let opened = try AESGCM.open(
            made, with: Self.bytes(key), nonce: Self.bytes(nonce), authenticating: Self.bytes(known))
        #expect(Crypto.hex(opened) == text)
    }

    @Test func `whatever is changed is noticed`() throws {
        let key = Crypto.random(count: 32)
        let text = Array("rm -rf build".utf8)
        let sealed = AESGCM.seal(text, with: key, authenticating: [1])
        #expect(sealed.count == text.count + 28)
        #expect(try AESGCM.open(sealed, with: key, authenticating: [1]) == text)
        #expect(AESGCM.seal(text, with: key, authenticating: [1]) != sealed, "a nonce of its own each time")
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            #expect(throws: CryptoError.self) { try AESGCM.open(changed, with: key, authenticating: [1]) }
        }
        #expect(throws: CryptoError.self) { try AESGCM.open(sealed, with: key, authenticating: [2]) }
        #expect(throws: CryptoError.self) { try AESGCM.open(sealed, with: Crypto.random(count: 32), authenticating: [1]) }
        #expect(throws: CryptoError.self) { try AESGCM.open(Array(sealed.dropLast()), with: key, authenticating: [1]) }
        #expect(throws: CryptoError.self) { try AESGCM.open([], with: key) }
    }
}
