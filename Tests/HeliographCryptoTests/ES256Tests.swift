import HeliographCrypto
import Testing

@Suite struct ES256Tests {
    // RFC 7515, appendix A.3: the key, the signed text, and the signature.
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----
        """
    private static let signed =
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    @Test func `a signature of the standard is verified, and nothing near it`() throws {
        let key = try ES256PublicKey(pem: Self.publicKey)
        let signature = try #require(Crypto.bytes(base64URL: Self.signature))
        let bytes = Array(Self.signed.utf8)
        #expect(key.isSignature(signature, of: bytes))
        for index in [0, 31, 32, 63] {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.isSignature(changed, of: bytes))
        }
        #expect(!key.isSignature(signature, of: bytes + [0]))
        #expect(!key.isSignature([UInt8](repeating: 0, count: 64), of: bytes))
        #expect(!key.isSignature([], of: bytes))
        #expect(!key.isSignature(Array(signature.dropLast()), of: bytes))
    }

    @Test func `what a key signs its other half verifies, always in 64 bytes`() throws {
        let key = ES256PrivateKey()
        let read = try ES256PrivateKey(pem: key.pem)
        let publicKey = try ES256PublicKey(pem: read.publicKey.pem)
        // R or S is shorter than 32 bytes once in 128 times.
        for index in 0..<400 {
            let bytes = Array("message \(index)".utf8)
            let signature = read.signature(of: bytes)
            #expect(signature.count == 64)
            #expect(publicKey.isSignature(signature, of: bytes))
        }
        #expect(!ES256PrivateKey().publicKey.isSignature(key.signature(of: [1]), of: [1]))
    }

    @Test(arguments: [
        "", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        String(repeating: "x", count: 20_000),
        // A key on P-384, and one that is cut off.
        """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCqJHdXhAe8G7wV0u5S
        -----END PRIVATE KEY-----
        """,
    ])
    func `what is no key on P-256 is refused with a sentence`(pem: String) {
        #expect(throws: CryptoError.self) { try ES256PrivateKey(pem: pem) }
        #expect(throws: CryptoError.self) { try ES256PublicKey(pem: pem) }
    }
}
