import Testing

@testable import HeliographBench

@Suite struct LatenciesTests {
    @Test func percentilesAreExactToThreeDigits() throws {
        var latencies = Latencies()
        for microseconds in 1...10_000 { latencies.record(nanoseconds: Int64(microseconds) * 1_000) }
        let summary = try #require(latencies.summary())
        #expect(summary.count == 10_000)
        for (found, expected) in [
            (summary.p50, 5_000.0), (summary.p90, 9_000), (summary.p99, 9_900), (summary.p999, 9_990), (summary.max, 10_000),
        ] {
            #expect((found - expected).magnitude <= expected / 1_000, "\(found) instead of \(expected)")
        }
    }

    @Test func manyAtOnceCountAsMany() throws {
        var latencies = Latencies()
        latencies.record(nanoseconds: 1_000, count: 99)
        latencies.record(nanoseconds: 1_000_000)
        let summary = try #require(latencies.summary())
        #expect(summary.count == 100)
        #expect(summary.p99 < 2)
        #expect(summary.max > 990)
    }

    @Test func whatIsBeyondTheScaleIsTheLongestThereIs() throws {
        var latencies = Latencies()
        latencies.record(nanoseconds: .max)
        latencies.record(nanoseconds: -5)
        #expect(try #require(latencies.summary()).max > 599_000_000)
        #expect(Latencies().summary() == nil)
    }
}
