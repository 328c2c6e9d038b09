import Consent
import ConsentKeys
import HeliographCrypto
import RelayProtocol
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

    @Test func `each of more keys than are remembered verifies what it signed, and no other`() throws {
        let all = (0...2 * PinBook.devicesMax).map { _ in PrivateKeys().identity }
        for _ in 0..<2 {
            for (one, next) in zip(all, all.dropFirst() + all.prefix(1)) {
                let signature = one.signature([1, 2, 3])
                #expect(ConsentCrypto.openSSL.verify(signature, [1, 2, 3], one.sign.bytes))
                #expect(!ConsentCrypto.openSSL.verify(signature, [1, 2, 3], next.sign.bytes))
                #expect(!ConsentCrypto.openSSL.verify(signature, [1, 2], one.sign.bytes))
            }
        }
        let signature = all[0].signature([1])
        for bad in [[], Array(all[0].sign.bytes.dropLast()), [4] + [UInt8](repeating: 0, count: 64)] {
            for _ in 0..<2 { #expect(!ConsentCrypto.openSSL.verify(signature, [1], bad)) }
        }
    }

    @Test func `a fault in the file is named by its place, and never shows a key`() throws {
        let keys = PrivateKeys()
        let good = String(decoding: keys.bytes, as: UTF8.self)
        let zeros = "\"" + Base64URL.text([UInt8](repeating: 0, count: 32)) + "\""
        let values = good.split(separator: "\"").map(String.init).filter { $0.utf8.count == 43 }
        #expect(values.count == 2)
        let faults = [
            ("\"version\":1", "\"version\":2", "$.version"), ("\"sign\"", "\"sing\"", "$.sign"),
            ("\"\(values[0])\"", zeros, "$.sign"), ("\"\(values[1])\"", zeros, "$.box"),
            (values[1], String(values[1].dropLast(4)), "$.box"), (keys.generation.text, "AAAA", "$.generation"),
        ]
        for (from, to, place) in faults {
            let bad = good.replacing(from, with: to)
            #expect(bad != good)
            let error = #expect(throws: ConsentError.self, "\(place)") { try PrivateKeys(parsing: Array(bad.utf8)) }
            #expect(error?.path == place)
            #expect(values.allSatisfy { error?.description.contains($0) == false })
        }
        #expect(throws: ConsentError.self) { try PrivateKeys(parsing: []) }
        #expect(throws: ConsentError.self) {
            try PrivateKeys(parsing: keys.bytes + [UInt8](repeating: 32, count: PrivateKeys.fileBytesMax))
        }
    }
}
