import Testing

@testable import HeliographBench

@Suite struct SequenceCheckerTests {
    @Test func whatFollowsIsTaken() {
        var checker = SequenceChecker(next: 2)
        #expect(checker.take(2...2) == nil)
        #expect(checker.take(3...70) == nil)
        #expect(checker.next == 71)
    }

    @Test func aGapIsNamed() {
        var checker = SequenceChecker(next: 2)
        #expect(checker.take(4...5) == "events 2 to 3 are missing: 4 came")
    }

    @Test func aRepeatIsNamed() {
        var checker = SequenceChecker(next: 2)
        #expect(checker.take(2...9) == nil)
        #expect(checker.take(9...12) == "event 9 came again or out of order: 10 was to come")
    }

    @Test func liveEventsMayBeDroppedButNotComeAgain() {
        var checker = SequenceChecker(next: 1, allowsGaps: true)
        #expect(checker.take(3...3) == nil)
        #expect(checker.missed == 2)
        #expect(checker.take(2...2) != nil)
    }
}
