import Consent
import ConsentKeys
import HeliographCrypto
import Testing

@Suite struct PrivateKeysTests {
    @Test func `keys are the same after their file was written and read`() throws {
        let keys = PrivateKeys()
        let read = try PrivateKeys(parsing: keys.bytes)
        #expect(read.identity.id == keys.identity.id && read.identity.box == keys.identity.box)
        #expect(read.generation == keys.generation && read.bytes == keys.bytes)
        let signature = read.identity.signature([1, 2, 3])
        #expect(ConsentCrypto.openSSL.verify(signature, [1, 2, 3], keys.identity.sign.bytes))
        #expect(PrivateKeys().identity.id != keys.identity.id)
    }
}
