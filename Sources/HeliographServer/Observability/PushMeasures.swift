import Metrics
import PushPlanner

/// Metrics of pushes; their names must stay stable, as people build dashboards on them.
final class PushMeasures {
    private let factory: any MetricsFactory
    private let planned: [PushIntent.Purpose: Counter]
    /// Counters by purpose and outcome, created on first use.
    private var answered: [String: Counter] = [:]
    private let answerTime: [PushIntent.Purpose: Timer]
    private let breakersOpen: Meter
    private let waiting: Meter
    private let flying: Meter

    init(factory: any MetricsFactory) {
        self.factory = factory
        var planned: [PushIntent.Purpose: Counter] = [:]
        var answerTime: [PushIntent.Purpose: Timer] = [:]
        for purpose in PushIntent.Purpose.allCases {
            let dimensions = [("purpose", purpose.rawValue)]
            planned[purpose] = Counter(label: "heliograph_pushes_planned_total", dimensions: dimensions, factory: factory)
            answerTime[purpose] = Timer(label: "heliograph_push_seconds", dimensions: dimensions, factory: factory)
        }
        self.planned = planned
        self.answerTime = answerTime
        breakersOpen = Meter(label: "heliograph_push_breakers_open", dimensions: [], factory: factory)
        waiting = Meter(label: "heliograph_pushes_waiting", dimensions: [], factory: factory)
        flying = Meter(label: "heliograph_pushes_flying", dimensions: [], factory: factory)
    }

    func planned(_ purpose: PushIntent.Purpose) { planned[purpose]?.increment() }

    /// `milliseconds`: time since the push was planned.
    func answered(_ purpose: PushIntent.Purpose, _ outcome: PushOutcome, milliseconds: Int64) {
        let name = "\(purpose.rawValue) \(outcome.word)"
        let counter =
            answered[name]
            ?? Counter(
                label: "heliograph_pushes_answered_total",
                dimensions: [("purpose", purpose.rawValue), ("result", outcome.word)],
                factory: factory)
        answered[name] = counter
        counter.increment()
        // Negative if the clock was set back, so it is limited.
        answerTime[purpose]?.recordMilliseconds(max(0, milliseconds))
    }

    func looked(at traffic: PushTraffic) {
        breakersOpen.set(traffic.breakersOpen)
        waiting.set(traffic.waiting)
        flying.set(traffic.flying)
    }
}
