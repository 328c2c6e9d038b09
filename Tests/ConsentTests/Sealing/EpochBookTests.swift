import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct EpochBookTests {
    private let devices = (0..<3).map { _ in ConsentIdentity.new().id }

    private func book() -> EpochBook {
        var book = EpochBook()
        book.begin(.random())
        book.admit(devices[0], from: 1)
        book.begin(.random())
        book.admit(devices[1], from: 2)
        return book
    }

    @Test func `a device has the keys from its first epoch on, newest first`() {
        var book = book()
        #expect(book.keys(of: devices[0]).map(\.number) == [2, 1] && book.keys(of: devices[1]).map(\.number) == [2])
        #expect(book.keys(of: devices[2]).isEmpty && book.current?.number == 2)
        book.admit(devices[1], from: 1)
        #expect(book.keys(of: devices[1]).map(\.number) == [2], "what it may have does not change unnoticed")
        book.exclude(devices[0])
        #expect(book.keys(of: devices[0]).isEmpty && book.devices == [devices[1]])
        #expect(book.key(of: 2) == book.current?.key && book.key(of: 1) != book.key(of: 2) && book.key(of: 3) == nil)
    }

    @Test func `a number that a lost book used is not used again`() {
        var book = book()
        book.begin(.random(), after: 7)
        #expect(book.current?.number == 8 && book.key(of: 2) != nil && book.key(of: 7) == nil)
        book.begin(.random(), after: 3)
        #expect(book.current?.number == 9)
    }

    @Test func `the file has all of it, and a full one can be read`() throws {
        let book = book()
        #expect(try EpochBook(parsing: book.bytes) == book)
        var full = EpochBook()
        for _ in 0..<(EpochBook.epochsMax + 2) { full.begin(.random(), after: .max - 3_000) }
        for _ in 0..<PinBook.devicesMax { full.admit(ConsentIdentity.new().id, from: .max - 2_000) }
        #expect(full.bytes.count <= EpochBook.fileBytesMax)
        #expect(try EpochBook(parsing: full.bytes) == full)
    }

    @Test func `a fault in the file is named by its place, and never shows a key`() throws {
        let book = book()
        let good = String(decoding: book.bytes, as: UTF8.self)
        let key = try #require(book.key(of: 1)).text
        for (from, to, place) in [
            ("\"version\":1", "\"version\":2", "$.version"), ("\"epoch\":2", "\"epoch\":1", "$.epochs[1].epoch"),
            ("\"epoch\":1", "\"epoch\":0", "$.epochs[0].epoch"), (key, String(key.dropLast()), "$.epochs[0].key"),
            (devices[1].text, devices[0].text, "$.devices[1]"), ("\"from\":1", "\"from\":0", "$.devices[0].from"),
            ("\"devices\"", "\"device\"", "$.devices"),
        ] {
            let bad = good.replacing(from, with: to)
            #expect(bad != good)
            let error = #expect(throws: ConsentError.self, "\(place)") { try EpochBook(parsing: Array(bad.utf8)) }
            #expect(error?.path == place && error?.description.contains(key.prefix(20)) == false)
        }
        #expect(throws: ConsentError.self) {
            try EpochBook(parsing: book.bytes + [UInt8](repeating: 32, count: EpochBook.fileBytesMax))
        }
    }
}
