import Foundation
import Testing

@testable import LiveActivityKit

@Suite("Card text") struct CardTextTests {
    @Test(
        "money",
        arguments: [
            (0, "$0.00"), (9_999, "<$0.01"), (10_000, "$0.01"), (413_200, "$0.41"), (415_000, "$0.42"),
            (12_345_678_900, "$12345.68"), (-413_200, "-$0.41"), (-1, "$0.00"), (Int64.min, "-$9223372036854.78"),
        ] as [(Int64, String)])
    func money(microUSD: Int64, text: String) { #expect(CardText.dollars(microUSD: microUSD) == text) }

    @Test(
        "durations",
        arguments: [
            (-5, "0 s", "0 seconds"), (0.9, "0 s", "0 seconds"), (1, "1 s", "1 second"), (59, "59 s", "59 seconds"),
            (61, "1 min", "1 minute"), (1_230, "20 min", "20 minutes"), (3_600, "1 h", "1 hour"),
            (7_500, "2 h 5 min", "2 hours and 5 minutes"), (90_000, "1 d", "1 day"), (.nan, "0 s", "0 seconds"),
            (.infinity, "0 s", "0 seconds"),
        ] as [(Double, String, String)])
    func durations(seconds: Double, text: String, spoken: String) {
        #expect(CardText.duration(seconds) == text)
        #expect(CardText.spokenDuration(seconds) == spoken)
    }

    @Test("ages, also of clocks that are ahead")
    func ages() {
        #expect(CardText.age(of: moment, at: moment.addingTimeInterval(3)) == "just now")
        #expect(CardText.age(of: moment, at: moment.addingTimeInterval(720)) == "12 min ago")
        #expect(CardText.age(of: moment, at: moment.addingTimeInterval(-100)) == "just now")
    }

    @Test("counts and progress")
    func counts() {
        #expect(CardText.progress(Attributes.Progress(completed: 3, total: 7)) == "3/7")
        #expect(CardText.fraction(Attributes.Progress(completed: 3, total: 4)) == 0.75)
        #expect(CardText.fraction(Attributes.Progress(completed: 9, total: 4)) == 1)
        #expect(CardText.fraction(Attributes.Progress(completed: -1, total: 4)) == 0)
        #expect(CardText.fraction(Attributes.Progress(completed: 0, total: 0)) == nil)
    }
}
