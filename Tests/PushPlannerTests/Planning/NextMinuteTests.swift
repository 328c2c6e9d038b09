import RelayProtocol
import Testing

@testable import PushPlanner

/// A minute of the day that comes next, by clocks that are changed.
@Suite("The next time of a clock") struct NextMinuteTests {
    /// After 26 hours the clocks jump from 02:00 to 03:00, after 75 back from 04:00 to 03:00.
    private static let settings = PushSettings { zone, at in
        guard zone == "here" else { return nil }
        let shift: Int64 = at >= 26 * hour && at < 75 * hour ? 60 : 0
        return (at / 60_000 + shift) % 1_440
    }
    private static let hour: Int64 = 3_600_000

    @Test(
        "it is the moment that the clock there says so, also over a change",
        arguments: [
            (18, 0, 18), (18, 18, 41), (2, 0, 2), (3, 20, 26), (18, 42, 65), (1, 30, 48), (3, 73, 74), (3, 74, 99),
            (18, 66, 90),
            // This minute does not exist on that day.
            (2, 2, 26),
        ] as [(Int64, Int64, Int64)])
    func next(of clock: Int64, after: Int64, is expected: Int64) {
        #expect(Self.settings.next(clock * 60, in: "here", after: after * Self.hour) == expected * Self.hour)
    }

    @Test("a minute of the week comes once in seven days, also over a change of the clocks")
    func week() {
        // The zone of the clocks above, in which the first moment is a Thursday's.
        let settings = PushSettings { zone, at in
            let shift: Int64 = at >= 26 * Self.hour && at < 75 * Self.hour ? 60 : 0
            return (at / 60_000 + shift + 3 * 1_440) % 10_080
        }
        let friday = WeeklyCosts(weekday: 5, at: 18 * 60, timeZone: "here")
        // 41 hours on, as an hour is left out on the way.
        #expect(settings.next(friday, after: 0) == 41 * Self.hour)
        #expect(settings.next(friday, after: 41 * Self.hour) == (42 + 7 * 24) * Self.hour)
        let thursday = WeeklyCosts(weekday: 4, at: 0, timeZone: "here")
        #expect(settings.next(thursday, after: 0) == 7 * 24 * Self.hour)
    }

    @Test("in the minute itself it is the next, and of no zone there is none")
    func edges() {
        #expect(Self.settings.next(60, in: "here", after: Self.hour + 59_999) == 25 * Self.hour)
        #expect(Self.settings.next(60, in: "here", after: Self.hour - 1) == Self.hour)
        #expect(Self.settings.next(60, in: "there", after: 0) == nil)
    }
}
