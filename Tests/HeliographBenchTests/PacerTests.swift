import Testing

@testable import HeliographBench

@Suite struct PacerTests {
    @Test func eachEventIsDueOnTheGridHoweverLateTheOthersAre() {
        let pacer = Pacer(start: 1_000, perSecond: 3)
        #expect((0...4).map { pacer.due($0) } == [1_000, 333_334_333, 666_667_666, 1_000_001_000, 1_333_334_333])
    }

    @Test func aDayLaterTheGridHasNotMoved() {
        let pacer = Pacer(start: 7, perSecond: 48_000)
        #expect(pacer.due(48_000 * 86_400) == 86_400 * 1_000_000_000 + 7)
        #expect(pacer.due(48_000 * 86_400 + 24_000) == 86_400 * 1_000_000_000 + 500_000_007)
    }
}
