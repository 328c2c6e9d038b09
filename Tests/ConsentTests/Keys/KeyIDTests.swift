import Consent
import ConsentKeys
import Testing

@Suite struct KeyIDTests {
    @Test func `an id is made of its signing point, as the vectors say`() throws {
        let vectors = Vectors.all
        #expect(try KeyID(of: vectors.fixed("keys.hostSign.public"), .openSSL).text == vectors.text("hostID"))
        #expect(try KeyID(of: vectors.fixed("keys.deviceSign.public"), .openSSL).text == vectors.text("deviceID"))
    }

    @Test func `a short code spells the first eighty bits, five to a letter`() throws {
        let first: [UInt8] = [0x00, 0x44, 0x32, 0x14, 0xC7]
        let id = try #require(KeyID(first + [0x42, 0x54, 0xB6, 0x35, 0xCF] + [UInt8](repeating: 9, count: 6)))
        #expect(id.shortCode == "0123-4567-89AB-CDEF")
        #expect(try #require(KeyID([UInt8](repeating: 0xFF, count: 16))).shortCode == "ZZZZ-ZZZZ-ZZZZ-ZZZZ")
        #expect(try Vectors.all.fixed("deviceID", KeyID.self).shortCode == "9G2G-J972-NTGD-9D75")
        let searched = try #require(KeyID(first + [UInt8](repeating: 9, count: 11)))
        #expect(searched.shortCode != id.shortCode, "40 bits in common are found in minutes")
    }

    @Test func `one id has one spelling`() throws {
        let id = try Vectors.all.fixed("hostID", KeyID.self)
        #expect(KeyID(text: id.text) == id)
        for text in [
            id.text + "=", id.text + "A", String(id.text.dropLast()), String(id.text.dropLast()) + "B", "", " " + id.text,
        ] {
            #expect(KeyID(text: text) == nil)
        }
    }
}
