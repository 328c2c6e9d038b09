import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct HostBookTests {
    private func host(_ name: String = "studio") -> HostPin {
        let host = ConsentIdentity.new()
        return HostPin(sign: host.sign, box: host.box, name: name, since: 3, crypto)
    }

    @Test func `a book is the same after it was written and read, and counts go up`() throws {
        var book = HostBook()
        try book.pin(host())
        try book.pin(host("attic"))
        let counts = [book.nextCount(), book.nextCount()]
        #expect(counts == [1, 2])
        var read = try HostBook(parsing: book.bytes, crypto)
        #expect(read == book)
        let next = read.nextCount()
        #expect(next == 3)
        book.forget(book.hosts[0].id)
        #expect(book.hosts.map(\.name) == ["attic"])
    }

    @Test func `a host that was seen to seal is known as one when it is pinned anew`() throws {
        var book = HostBook()
        let studio = host()
        try book.pin(studio)
        #expect(book[studio.id]?.sealsAs == nil)
        book.seals(studio.id, as: "h1", in: 7)
        book.seals(studio.id, as: "h1", in: 3)
        try book.pin(studio)
        let kept = try HostBook(parsing: book.bytes, crypto)[studio.id]
        #expect(kept?.sealsAs == "h1" && kept?.epoch == 7)
    }

    @Test func `a device joins sixty-four hosts and refuses one more`() throws {
        var book = HostBook()
        for _ in 0..<HostBook.hostsMax { try book.pin(host(String(repeating: "\"", count: 256))) }
        #expect(throws: ConsentError.self) { try book.pin(host()) }
        #expect(try HostBook(parsing: book.bytes, crypto) == book)
    }

    @Test func `an id that is not that of its point is refused with its place`() throws {
        var book = HostBook()
        try book.pin(host())
        let bad = String(decoding: book.bytes, as: UTF8.self).replacing(book.hosts[0].id.text, with: KeyID.random().text)
        let error = #expect(throws: ConsentError.self) { try HostBook(parsing: Array(bad.utf8), crypto) }
        #expect(error?.path == "$.hosts[0].id")
    }
}
