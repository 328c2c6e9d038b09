import Testing

@testable import RelayCore

@Suite struct TokenBucketTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `what was saved up goes at once, then so much a second`() {
        var bucket = TokenBucket(perSecond: 10, burst: .seconds(2))
        for _ in 0..<20 { #expect(bucket.takeIfThere(1, at: 0) == 0) }
        #expect(bucket.takeIfThere(1, at: 0) == Self.second / 10)
        #expect(bucket.takeIfThere(1, at: Self.second / 10) == 0)
        #expect(bucket.takeIfThere(1, at: Self.second / 10) == Self.second / 10)
        // An hour saves up no more than two seconds.
        for _ in 0..<20 { #expect(bucket.takeIfThere(1, at: 3_600 * Self.second) == 0) }
        #expect(bucket.takeIfThere(1, at: 3_600 * Self.second) > 0)
    }

    @Test func `what was taken beyond is paid back`() {
        var bucket = TokenBucket(perSecond: 100, burst: .seconds(1))
        #expect(bucket.take(100, at: 0) == 0)
        #expect(bucket.take(50, at: 0) == Self.second / 2)
        #expect(bucket.take(1, at: Self.second / 4) == Self.second / 4 + Self.second / 100)
        #expect(!bucket.isFull(at: Self.second))
        #expect(bucket.take(0, at: 2 * Self.second) == 0 && bucket.isFull(at: 2 * Self.second))
    }

    @Test func `who is refused pays nothing`() {
        var bucket = TokenBucket(perSecond: 1, burst: .seconds(1))
        #expect(bucket.takeIfThere(1, at: 0) == 0)
        for _ in 0..<1_000 { #expect(bucket.takeIfThere(1, at: 0) == Self.second) }
        #expect(bucket.takeIfThere(1, at: Self.second) == 0)
    }

    @Test(arguments: [(1, Int.max), (10_000 << 20, Int.max), (10_000 << 20, 1 << 20), (10_000_000, 1), (3, 7)])
    func `no number overflows`(_ rate: Int, _ amount: Int) {
        var bucket = TokenBucket(perSecond: rate, burst: .seconds(10))
        for _ in 0..<1_000 { #expect(bucket.take(amount, at: 1 << 50) >= 0) }
    }

    @Test func `one that nobody took from makes nobody wait, at any time`() {
        let bucket = TokenBucket(perSecond: 1, burst: .seconds(10))
        for now in [0, 1, Int64.max / 2] { #expect(bucket.wait(at: now) == 0 && bucket.isFull(at: now)) }
    }
}
