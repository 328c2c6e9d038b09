import Foundation
import Testing

@testable import StoreSQLite
import StoreTestSupport

@Suite(.scratch) struct ReserveTests {
    private var path: String { Scratch.current.path + "/relay.reserve" }

    private func bytesOnDisk() throws -> Int {
        var facts = stat()
        try #require(unsafe stat(path, &facts) == 0)
        return Int(facts.st_blocks) * 512
    }

    @Test func `it takes its room on the disk, gives it up once, and takes it again`() throws {
        let reserve = Reserve(path)
        #expect(try bytesOnDisk() >= Reserve.byteCount && !reserve.isUsed)
        #expect(reserve.giveUp() && reserve.isUsed)
        #expect(try bytesOnDisk() == 0)
        #expect(!reserve.giveUp(), "there is nothing left of it")
        #expect(reserve.keep() && !reserve.isUsed)
        #expect(try bytesOnDisk() >= Reserve.byteCount)
    }

    @Test func `one that was given up before a crash is kept anew`() throws {
        #expect(Reserve(path).giveUp())
        let next = Reserve(path)
        #expect(try bytesOnDisk() >= Reserve.byteCount && !next.isUsed)
    }

    @Test func `a copy with holes is filled`() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(unsafe truncate(path, Reserve.byteCount) == 0)
        #expect(try bytesOnDisk() == 0)
        let reserve = Reserve(path)
        #expect(try bytesOnDisk() >= Reserve.byteCount && !reserve.isUsed)
    }

    @Test func `without a place there is none, and nothing waits for it`() {
        let none = Reserve("/nowhere/relay.reserve")
        #expect(!none.giveUp() && !none.isUsed)
    }
}
