import CoreMetrics
import Synchronization

/// A swift-metrics backend that writes Prometheus' text format: counters, gauges, recorders as summaries (count and sum), and timers
/// as histograms in seconds.
final class PrometheusRegistry: MetricsFactory, Sendable {
    private let families = Mutex<[String: Family]>([:])

    private struct Family {
        var type: String
        var cells: [(labels: String, cell: PrometheusCell)]
    }

    /// The text exposition format, version 0.0.4; families and labels in a stable order.
    var exposition: String {
        families.withLock { families in
            var text = ""
            for (name, family) in families.sorted(by: { $0.key < $1.key }) {
                if let sentence = MetricHelp.sentences[name] { text += "# HELP \(name) \(sentence)\n" }
                text += "# TYPE \(name) \(family.type)\n"
                for (labels, cell) in family.cells.sorted(by: { $0.labels < $1.labels }) {
                    let (value, count) = cell.values
                    if let buckets = cell.cumulativeBuckets {
                        let open = labels.isEmpty ? "{" : labels.dropLast() + ","
                        for (bound, count) in zip(PrometheusCell.bucketBounds.map { "\($0)" } + ["+Inf"], buckets) {
                            text += "\(name)_bucket\(open)le=\"\(bound)\"} \(count)\n"
                        }
                    }
                    if family.type == "summary" || family.type == "histogram" {
                        text += "\(name)_sum\(labels) \(value)\n\(name)_count\(labels) \(count)\n"
                    } else {
                        text += "\(name)\(labels) \(value)\n"
                    }
                }
            }
            return text
        }
    }

    private func cell(_ name: String, _ type: String, _ dimensions: [(String, String)]) -> PrometheusCell {
        let pairs = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        let labels = pairs.isEmpty ? "" : "{\(pairs)}"
        return families.withLock { families in
            var family = families[name] ?? Family(type: type, cells: [])
            if let found = family.cells.first(where: { $0.labels == labels }) { return found.cell }
            let cell = PrometheusCell(hasBuckets: type == "histogram")
            family.cells.append((labels, cell))
            families[name] = family
            return cell
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { cell(label, "counter", dimensions) }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        cell(label, "counter", dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { cell(label, "gauge", dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        cell(label, "summary", dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { cell(label, "histogram", dimensions) }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// The values of one time series.
final class PrometheusCell: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
    /// Upper bounds in seconds: from a commit on a fast disk to a push that waited for a network.
    static let bucketBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    private struct State {
        var value = 0.0
        var count: Int64 = 0
        /// For a histogram: the number of values in each bucket, that is, up to its bound and above the one before; the last bucket
        /// has no bound.
        var buckets: [Int64] = []
    }

    private let state: Mutex<State>

    init(hasBuckets: Bool) {
        state = Mutex(State(buckets: hasBuckets ? Array(repeating: 0, count: Self.bucketBounds.count + 1) : []))
    }

    var values: (value: Double, count: Int64) { state.withLock { ($0.value, $0.count) } }

    /// Number of values up to each of `bucketBounds`, and of all; nil if this is not a histogram.
    var cumulativeBuckets: [Int64]? {
        state.withLock { state in
            guard !state.buckets.isEmpty else { return nil }
            var sum: Int64 = 0
            return state.buckets.map { count in
                sum += count
                return sum
            }
        }
    }

    func increment(by amount: Int64) { state.withLock { $0.value += Double(amount) } }
    func increment(by amount: Double) { state.withLock { $0.value += amount } }
    func decrement(by amount: Double) { state.withLock { $0.value -= amount } }
    func reset() { state.withLock { $0 = State(buckets: $0.buckets.map { _ in 0 }) } }
    func set(_ value: Int64) { state.withLock { $0.value = Double(value) } }
    func set(_ value: Double) { state.withLock { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        state.withLock {
            $0.value += value
            $0.count += 1
            guard !$0.buckets.isEmpty else { return }
            $0.buckets[Self.bucketBounds.firstIndex { value <= $0 } ?? Self.bucketBounds.count] += 1
        }
    }

    /// Prometheus uses seconds for times.
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
