import Testing

@testable import HeliographServer

@Suite struct StrangerLogTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `after sixty lines there is one a second, which says how many there were`() {
        var log = StrangerLog()
        for _ in 0..<60 { #expect(log.tell(at: 0) == 0) }
        for _ in 0..<7 { #expect(log.tell(at: 0) == nil) }
        #expect(log.tell(at: Self.second) == 7)
        #expect(log.tell(at: Self.second) == nil)
        #expect(log.tell(at: 1_000 * Self.second) == 1)
        #expect(log.tell(at: 1_000 * Self.second) == 0)
    }
}
