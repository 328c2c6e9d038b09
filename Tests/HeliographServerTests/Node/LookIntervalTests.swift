import RelayCluster
import Testing

@testable import HeliographServer

/// Time between a node's looks at the database.
@Suite struct LookIntervalTests {
    private func view(_ generation: Int64) -> PlacementView {
        PlacementView(
            rows: [PlacementView.Row(scope: "w1", number: 1, generation: generation, holder: "own", isFree: false)], nodes: [])
    }

    @Test func `a node looks often while something changes, and seldom once nothing has for a while`() {
        var (pace, start) = (LookInterval(), ContinuousClock.now)
        #expect(pace.wait(at: start) == LookInterval.interval)
        pace.saw(view(1), at: start)
        pace.saw(view(1), at: start + .seconds(14))
        #expect(pace.wait(at: start + .seconds(14)) == LookInterval.interval)
        #expect(pace.wait(at: start + LookInterval.restAfter) == LookInterval.restInterval)
        start += .seconds(60)
        pace.saw(view(2), at: start)
        #expect(pace.wait(at: start) == LookInterval.interval, "another owner")
        start += .seconds(60)
        #expect(pace.isAtRest(at: start))
        pace.changed(at: start)
        #expect(!pace.isAtRest(at: start) && pace.wait(at: start) == LookInterval.interval, "a link has ended")
    }
}
