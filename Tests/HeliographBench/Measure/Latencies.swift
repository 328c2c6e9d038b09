internal import Histogram
internal import RelayProtocol

/// Latencies from a nanosecond to ten minutes, with three exact digits whatever their size.
struct Latencies {
    private static let nanosecondsMax: UInt64 = 600_000_000_000
    private var histogram = Histogram<UInt64>(
        lowestDiscernibleValue: 1, highestTrackableValue: nanosecondsMax, numberOfSignificantValueDigits: .three)

    var count: UInt64 { histogram.totalCount }

    /// Records a latency. Longer ones count as the longest possible; negative ones do not occur on one clock.
    mutating func record(nanoseconds: Int64, count: Int = 1) {
        histogram.record(min(UInt64(max(1, nanoseconds)), Self.nanosecondsMax), count: UInt64(count))
    }

    func summary() -> LatencySummary? {
        guard count > 0 else { return nil }
        func percentile(_ share: Double) -> Double { Double(histogram.valueAtPercentile(share)) / 1_000 }
        return LatencySummary(
            count: count, p50: percentile(50), p90: percentile(90), p99: percentile(99), p999: percentile(99.9),
            max: Double(histogram.max) / 1_000)
    }
}

/// Latencies in microseconds.
package struct LatencySummary: Sendable {
    package let count: UInt64
    package let p50: Double
    package let p90: Double
    package let p99: Double
    package let p999: Double
    package let max: Double
}
