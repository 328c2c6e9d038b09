/// Limits of what clients see of a terminal, in milliseconds, each with its reason.
package struct ScreenLimits: Sendable {
    /// Time between two drawings: what an eye follows, and what a phone draws.
    var drawEvery: Int64 = 100
    /// Time from a change to its drawing: a program writes a screen in several pieces.
    var settleFor: Int64 = 12
    /// Time for which a program is believed that reports an unfinished drawing.
    var unfinishedFor: Int64 = 250
    /// Time within which a look is answered even if nothing changes, so that its sender knows that it is connected, and asks again.
    var answerWithin: Int64 = 10_000
    /// Looks at a time: a few people with two devices each.
    var looksMax = 16

    package init() {}
}
