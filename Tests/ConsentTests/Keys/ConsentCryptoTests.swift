import Consent
import ConsentKeys
import HeliographCrypto
import Testing

@Suite struct ConsentCryptoTests {
    @Test func `both sides agree on the vectors' secret, and derive its key`() throws {
        let vectors = Vectors.all
        let host = try P256AgreementKey(scalar: vectors.bytes("keys.hostBox.private"))
        let device = try P256AgreementKey(scalar: vectors.bytes("keys.deviceBox.private"))
        #expect(
            try host.point == vectors.bytes("keys.hostBox.public") && device.point == vectors.bytes("keys.deviceBox.public"))
        let shared = try host.secret(with: device.point)
        #expect(try shared == vectors.bytes("wrap.shared") && shared == device.secret(with: host.point))
        let (hostID, deviceID) = (try vectors.bytes("hostID"), try vectors.bytes("deviceID"))
        var info = Array("heliograph/v1/wrap".utf8) + [0]
        for part in [hostID, deviceID, host.point, device.point] { info += [0, 0, 0, UInt8(part.count)] + part }
        #expect(try crypto.hkdf(shared, info: info) == vectors.bytes("wrap.key"))
        #expect(
            crypto.hkdf(shared, info: info)
                == HKDF.expand(HKDF.extract(shared, salt: []), info: info, count: ConsentHash.count))
    }

    @Test func `a signature has one form, and a point is on the curve`() throws {
        let key = ES256PrivateKey()
        let signature = key.signature(of: [1])
        #expect(crypto.verify(signature, [1], key.publicKey.point))
        #expect(!crypto.verify([UInt8](repeating: 0, count: 64), [1], key.publicKey.point))
        #expect(!crypto.verify(signature + [0], [1], key.publicKey.point) && !crypto.verify([], [1], key.publicKey.point))
        #expect(!crypto.verify(signature, [1], []) && !crypto.verify(signature, [1], key.publicKey.point.changed(at: 40)))
        #expect(crypto.isOnCurve(key.publicKey.point) && !crypto.isOnCurve(key.publicKey.point.changed(at: 40)))
        #expect(!crypto.isOnCurve([4] + [UInt8](repeating: 0, count: 64)) && !crypto.isOnCurve([0]))
    }
}
