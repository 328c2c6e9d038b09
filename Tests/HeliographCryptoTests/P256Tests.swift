import HeliographCrypto
import Testing

@Suite struct P256Tests {
    // RFC 8291, appendix A: the keys of both sides and the secret that they agree on.
    private static let sender = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyfWPiYE+n46HLnH0
        KqZOF1fJJU3MYrct3AELtAQ+oRyhRANCAAT+M/SrDepxkU21WCP3O1SUj0EwbZIH
        Mtu5pZpTKGSCIA5Zent7wmC6HCJ5mFgJkuk5cwAvMBKiiujwa7t45ewP
        -----END PRIVATE KEY-----
        """
    private static let senderPoint =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    private static let receiverPoint =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"

    // RFC 8292, section 2.4: a token that a key given as a point has signed.
    private static let token =
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0"
    private static let tokenSignature =
        "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
    private static let tokenPoint =
        "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"

    @Test func `two keys agree on the secret of the standard's example`() throws {
        let key = try P256AgreementKey(pem: Self.sender)
        #expect(Crypto.base64URL(key.point) == Self.senderPoint)
        let point = try #require(Crypto.bytes(base64URL: Self.receiverPoint))
        #expect(Crypto.base64URL(try key.secret(with: point)) == Self.secret)
    }

    @Test func `both sides agree, and each key is another`() throws {
        for _ in 0..<50 {
            let (one, other) = (P256AgreementKey(), P256AgreementKey())
            #expect(one.point != other.point && one.point.count == P256.pointBytes)
            #expect(try one.secret(with: other.point) == other.secret(with: one.point))
        }
    }

    @Test func `a public key that came as a point verifies the standard's token`() throws {
        let point = try #require(Crypto.bytes(base64URL: Self.tokenPoint))
        let key = try ES256PublicKey(point: point)
        #expect(key.point == point)
        let signature = try #require(Crypto.bytes(base64URL: Self.tokenSignature))
        #expect(key.isSignature(signature, of: Array(Self.token.utf8)))
        #expect(!key.isSignature(signature, of: Array((Self.token + "0").utf8)))
        #expect(try ES256PublicKey(pem: key.pem).point == point)
    }

    @Test func `what is no uncompressed point of the curve is refused`() {
        let good = P256AgreementKey().point
        var bad: [[UInt8]] = [[], [0], Array(good.dropLast()), good + [0]]
        // Compressed, hybrid and unknown forms, and the point at infinity.
        bad += [2, 3, 5, 6, 7].map { [UInt8($0)] + good.dropFirst() }
        bad += [[good[64] & 1 + 2] + good[1...32], [UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 0, count: 64)]
        // Beside the curve, and with a coordinate that is not below the prime.
        for index in [1, 32, 33, 64] {
            var point = good
            point[index] ^= 1
            bad.append(point)
        }
        bad.append([4] + [UInt8](repeating: 0xFF, count: 64))
        let key = P256AgreementKey()
        for point in bad {
            let error = #expect(throws: CryptoError.self) { try key.secret(with: point) }
            #expect(error?.code == .invalidKey)
            #expect(throws: CryptoError.self) { try ES256PublicKey(point: point) }
        }
    }

    @Test func `a private number makes the same keys again, always in 32 bytes`() throws {
        // One secret in 256 begins with a zero.
        for _ in 0..<400 {
            let key = ES256PrivateKey()
            let again = try ES256PrivateKey(scalar: key.scalar)
            #expect(key.scalar.count == P256.scalarBytes && again.publicKey.point == key.publicKey.point)
        }
        let key = P256AgreementKey()
        #expect(try P256AgreementKey(scalar: key.scalar).point == key.point)
        let read = try ES256PrivateKey(scalar: ES256PrivateKey(pem: Self.sender).scalar)
        #expect(Crypto.base64URL(read.publicKey.point) == Self.senderPoint)
        #expect(read.publicKey.isSignature(read.signature(of: [7]), of: [7]))
    }

    @Test func `a number that is no private key is refused`() {
        // The order of the curve, from SEC 2.
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
            0xAD,
            0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        let highest = order.dropLast() + [order[31] - 1]
        #expect(throws: Never.self) { try ES256PrivateKey(scalar: Array(highest)) }
        let zero = [UInt8](repeating: 0, count: 32)
        for scalar in [[], zero, order, [UInt8](repeating: 0xFF, count: 32), zero.dropLast() + [], [1] + zero] {
            let error = #expect(throws: CryptoError.self) { try ES256PrivateKey(scalar: Array(scalar)) }
            #expect(error?.code == .invalidKey)
            #expect(throws: CryptoError.self) { try P256AgreementKey(scalar: Array(scalar)) }
        }
    }

    @Test func `whether bytes are a point is said without a key`() {
        let point = P256AgreementKey().point
        #expect(P256.isPoint(point))
        #expect(!P256.isPoint([]) && !P256.isPoint([5] + point.dropFirst()) && !P256.isPoint(Array(point.dropLast())))
        #expect(!P256.isPoint([4] + [UInt8](repeating: 0, count: 64)))
    }
}
